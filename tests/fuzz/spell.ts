import { isMutation, pathParameters, type Endpoint } from '@kontor/contract'
import type { Json } from '../harness/http.ts'
import { jsonText } from './json-text.ts'
import type { Random } from '../harness/random.ts'
import type { Surface, WireRequest } from './wire.ts'

export type Caller = { readonly name: string; readonly authorization: string | undefined }

export type Call = {
  readonly surface: Surface
  readonly name: string
  readonly endpoint: Endpoint
  readonly input: Json
  readonly caller: Caller
  readonly headers: readonly (readonly [string, string])[]
}

/** Percent-encoding of any text, also of one that is no Unicode. */
export const encoded = (text: string): string =>
  text.isWellFormed()
    ? encodeURIComponent(text)
    : text.replaceAll(/[\uD800-\uDFFF]|[^\uD800-\uDFFF]+/g, (part) =>
        part.isWellFormed() ? encodeURIComponent(part) : '%ED%A0%80',
      )

const textOf = (value: Json): string => (typeof value === 'string' ? value : jsonText(value))

/** Brackets for members, commas for lists of scalars, positions for other lists. */
function pairsOf(name: string, value: Json): [string, string][] {
  if (value === undefined) return []
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null))
    return [[name, value.map(textOf).join(',')]]
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, inner]) => pairsOf(`${name}[${key}]`, inner))
  return [[name, textOf(value)]]
}

/** Ways to write a text into a query string that all mean the same. */
const spellings: readonly ((text: string) => string)[] = [
  encoded,
  encoded,
  (text) => encoded(text).replaceAll('%5B', '[').replaceAll('%5D', ']').replaceAll('%2C', ','),
  (text) => encoded(text).replaceAll('%20', '+'),
  (text) => encoded(text).replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
]

/** The parameters of the path and those after `?`; what has no body puts nothing into it. */
function restTarget({ path }: Endpoint, flat: Readonly<Record<string, Json>>, random: Random): string {
  const names = new Set(pathParameters(path))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(textOf(flat[name] ?? '')))
  const spell = random.pick(spellings)
  const pairs = Object.entries(flat).flatMap(([name, value]) => (names.has(name) ? [] : pairsOf(name, value)))
  const query = pairs.map(([name, value]) => `${spell(name)}=${spell(value)}`).join('&')
  return `/v1${filled}${query === '' ? '' : `?${query}`}`
}

const isPlain = (value: Json): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A call as the bytes of a request on its surface. */
export function spelled({ surface, name, endpoint, input, caller, headers }: Call, random: Random): WireRequest {
  const authorization: [string, string][] =
    caller.authorization === undefined ? [] : [['Authorization', caller.authorization]]
  const base = { surface, name, endpoint, caller: caller.name, astray: false, unparseable: false }
  const json: [string, string][] = [['Content-Type', 'application/json']]
  if (surface === 'rest') {
    const { body, ...flat } = isPlain(input) ? input : {}
    const bytes = body === undefined ? undefined : Buffer.from(jsonText(body))
    // Without its last part a path is that of the collection.
    const astray = pathParameters(endpoint.path).some((parameter) => textOf(flat[parameter] ?? '') === '')
    return {
      ...base,
      astray,
      method: endpoint.method,
      target: restTarget(endpoint, flat, random),
      headers: [...authorization, ...(bytes ? json : []), ...headers],
      body: bytes,
    }
  }
  const text = jsonText(input)
  if (surface === 'trpc' && !isMutation(endpoint) && text.length < 2000) {
    return {
      ...base,
      method: 'GET',
      target: `/trpc/${name}?input=${encoded(text)}`,
      headers: [...authorization, ...headers],
      body: undefined,
    }
  }
  return {
    ...base,
    method: 'POST',
    target: `/${surface}/${name}`,
    headers: [...authorization, ...json, ...headers],
    body: Buffer.from(text),
  }
}
