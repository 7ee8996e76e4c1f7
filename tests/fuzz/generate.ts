import { inWorkspace, isMutation, roleOf, type Endpoint } from '@kontor/contract'
import type { Json } from '../harness/http.ts'
import { jsonText } from './json-text.ts'
import { mutated } from './mutate.ts'
import { withQuirk } from './quirks.ts'
import type { Random } from '../harness/random.ts'
import { spelled, type Caller } from './spell.ts'
import { validInput } from './valid.ts'
import { usualKey } from './whole-calls.ts'
import type { Surface, WireRequest } from './wire.ts'
import type { Words } from './words.ts'

export type Callers = {
  /** Members of the first workspace who may write, with tokens and keys. */
  readonly usual: readonly Caller[]
  /** Those who may change nothing there. */
  readonly powerless: readonly Caller[]
  /** Members of the other workspace, who may do anything there. */
  readonly outside: readonly Caller[]
}

export type Generating = {
  readonly random: Random
  readonly words: Words
  readonly callers: Callers
  readonly endpoints: readonly (readonly [string, Endpoint])[]
}

const surfaces: readonly (readonly [number, Surface])[] = [
  [60, 'rest'],
  [20, 'trpc'],
  [20, 'actions'],
]

const headersFor = (endpoint: Endpoint, { random, words }: Generating): [string, string][] => {
  if (!isMutation(endpoint)) return []
  return [
    ...(random.chance(0.15)
      ? [['Idempotency-Key', random.chance(0.5) ? usualKey(random) : random.word(20)] as [string, string]]
      : []),
    ...(endpoint.versioned === true && random.chance(0.1) ? [['If-Match', words.tag(random)] as [string, string]] : []),
  ]
}

/** The number of places of a call that are wrong, and the oddity of its bytes: a third of the calls are right. */
const wrongness: readonly (readonly [number, { readonly places: number; readonly odd: boolean }])[] = [
  [32, { places: 0, odd: false }],
  [36, { places: 1, odd: false }],
  [10, { places: 2, odd: false }],
  [5, { places: 6, odd: false }],
  [12, { places: 0, odd: true }],
  [5, { places: 1, odd: true }],
]

/** One request, from right to hostile in every respect. */
export function anyRequest(generating: Generating): WireRequest {
  const { random, words, callers } = generating
  const [name, endpoint] = random.pick(generating.endpoints)
  if (inWorkspace(endpoint) && random.chance(0.03)) return asOutsider(generating, name, endpoint)
  if (random.chance(0.03)) return batchRequest(generating)
  const key = words.key(random)
  const caller = random.weighted<() => Caller>([
    [70, () => random.pick(callers.usual)],
    [10, () => random.pick(callers.powerless)],
    [20, () => (key === undefined ? random.pick(callers.usual) : { name: 'a_key', authorization: `api-key ${key}` })],
  ])()
  const { places, odd } = random.weighted(wrongness)
  // Most calls shall be about the workspace of their callers: of another one everything is 404.
  const input = mutated(
    validInput(endpoint, random, words),
    places,
    random,
    words,
    new Set(random.chance(0.9) ? ['workspace'] : []),
  )
  const request = called(generating, name, endpoint, input, caller)
  return odd ? withQuirk(request, random, words) : request
}

const called = (generating: Generating, name: string, endpoint: Endpoint, input: Json, caller: Caller): WireRequest =>
  spelled(
    {
      surface: generating.random.weighted(surfaces),
      name,
      endpoint,
      input,
      caller,
      headers: headersFor(endpoint, generating),
    },
    generating.random,
  )

/** Several calls of tRPC in one request. */
function batchRequest(generating: Generating): WireRequest {
  const { random, words, callers } = generating
  const calls = Array.from({ length: random.between(1, 5) }, () => random.pick(generating.endpoints))
  const inputs = calls.map(([, endpoint]) =>
    mutated(validInput(endpoint, random, words), random.below(2), random, words, new Set(['workspace'])),
  )
  const target = `/trpc/${calls.map(([name]) => name).join(',')}?batch=1`
  const [name, endpoint] = calls[0]!
  const request = called(generating, name, endpoint, {}, random.pick(callers.usual))
  const body = Buffer.from(jsonText(Object.fromEntries(inputs.map((input, index) => [index, input]))))
  return {
    ...request,
    surface: 'trpc',
    method: 'POST',
    target,
    headers: [...request.headers.filter(([given]) => given !== 'Content-Type'), ['Content-Type', 'application/json']],
    body,
    batch: calls.map(([, one]) => one),
  }
}

/** A member of the other workspace looks into the first one; in their own, the request would be right. */
function asOutsider(generating: Generating, name: string, endpoint: Endpoint): WireRequest {
  const { random, words, callers } = generating
  const input = mutated(validInput(endpoint, random, words), random.below(2), random, words, new Set(['workspace']))
  return called(generating, name, endpoint, input, random.pick(callers.outside))
}

/** A request that may change nothing: a read, a rehearsal, or one by a caller who may not write. */
export function quietRequest(generating: Generating): WireRequest {
  const { random, words, callers } = generating
  const [name, endpoint] = random.pick(generating.endpoints)
  const rehearsed = endpoint.query !== undefined && 'dry_run' in endpoint.query.shape
  const right = validInput(endpoint, random, words)
  const input = mutated(
    rehearsed ? { ...right, dry_run: true } : right,
    random.below(2),
    random,
    words,
    new Set(['workspace', 'dry_run']),
  )
  // Of what is changed in earnest, viewers may do some: their own keys are theirs.
  const refused =
    roleOf(endpoint) === 'viewer' ? callers.powerless.filter((caller) => caller.name !== 'viewer') : callers.powerless
  return called(
    generating,
    name,
    endpoint,
    input,
    random.pick(!isMutation(endpoint) || rehearsed ? callers.usual : refused),
  )
}
