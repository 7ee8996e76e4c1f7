import { isDeepStrictEqual } from 'node:util'
import { pathParameters } from '@kontor/contract'
import { defined, isRecord, memberOf } from '../../lib/guards.ts'
import { once } from '../../lib/promises.ts'
import { pointer } from '../../lib/pointers.ts'
import type { Call } from '../calls.ts'
import { Failure, type Fault } from '../errors.ts'
import { parseCall, type ParsedCall } from '../parse/items.ts'

type Sent = Readonly<Record<string, unknown>>

/** A call that has been checked, as it was sent but for what was sent back as it had been read. */
type Checked = ParsedCall & { readonly sent: Sent }

/** A member of a body that is at fault, and the same member of what is read of the resource. */
type Suspect = {
  readonly at: readonly string[]
  readonly name: string
  readonly given: unknown
  readonly read: unknown
}

type ReadNow = (reader: Call, input: Sent) => Promise<unknown>

/**
 * Checks a call. A client may send a resource back as it has read it: members that the change does not take, and that
 * are as they are read, are dropped. `readNow` answers what the caller reads of the resource.
 */
export async function checkCall(call: Call, sent: Sent, readNow: ReadNow): Promise<Checked> {
  const { body } = sent
  if (!isRecord(body)) return { ...(await parseCall(call.endpoint, sent)), sent }
  const readOnce = once(() => readPath(call, sent, readNow))
  const system = systemFaults(body)
  const first = system.length === 0 ? sent : dropUnchanged(sent, suspectsOf(system, body, await readOnce()))
  try {
    return { ...(await parseCall(call.endpoint, first)), sent: first }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const suspects = suspectsOf(error.faults, body, await readOnce())
    const rest = dropUnchanged(first, suspects)
    if (rest === first) throw told(error, suspects)
    return { ...(await parseAgain(call, rest, suspects)), sent: rest }
  }
}

async function parseAgain({ endpoint }: Call, rest: Sent, suspects: readonly Suspect[]): Promise<ParsedCall> {
  try {
    return await parseCall(endpoint, rest)
  } catch (error) {
    throw error instanceof Failure ? told(error, suspects) : error
  }
}

/** Reads the path of a change as its caller. A caller who may not read it learns nothing more about the body. */
const readPath = ({ endpoint, reader }: Call, sent: Sent, readNow: ReadNow): Promise<unknown> => {
  const path = Object.fromEntries(pathParameters(endpoint.path).map((name) => [name, sent[name]]))
  return readNow(defined(reader), path).catch(() => undefined)
}

/** System attributes, which no change takes: records refuse them only after their schema has accepted the body. */
function systemFaults(body: Sent): Pick<Fault, 'source'>[] {
  const at = 'data' in body ? ['data', 'attributes'] : []
  const holder = partAt(body, at)
  const names = isRecord(holder) ? Object.keys(holder).filter((name) => name.startsWith('_')) : []
  return names.map((name) => ({ source: { pointer: pointer([...at, name]) } }))
}

function dropUnchanged(sent: Sent, suspects: readonly Suspect[]): Sent {
  const dropped = suspects.filter(({ given, read }) => isDeepStrictEqual(given, read))
  const { body } = sent
  return dropped.length === 0 || !isRecord(body) ? sent : { ...sent, body: dropped.reduce(without, body) }
}

/** The members at fault that are members of the resource too. */
function suspectsOf(faults: readonly Pick<Fault, 'source'>[], body: Sent, read: unknown): Suspect[] {
  const found = new Map<string, Suspect>()
  for (const { source } of faults) {
    const parts = (source?.pointer ?? '').split('/').slice(1)
    const at = 'data' in body ? (parts[1] === 'attributes' ? ['data', 'attributes'] : ['data']) : []
    const name = parts[at.length]
    const [holder, readHolder] = [partAt(body, at), readPart(read, at)]
    if (name === undefined || !isRecord(holder) || !isRecord(readHolder)) continue
    if (Object.hasOwn(holder, name) && Object.hasOwn(readHolder, name))
      found.set([...at, name].join('/'), { at, name, given: holder[name], read: readHolder[name] })
  }
  return [...found.values()]
}

const partAt = (whole: unknown, at: readonly string[]): unknown => at.reduce(memberOf, whole)

/** The part of an answer that a part of a body changes: answers wrap their attributes, or are bare. */
const readPart = (read: unknown, at: readonly string[]): unknown =>
  at.length > 0 ? partAt(read, at) : (partAt(read, ['data', 'attributes']) ?? read)

/** A body without a member. */
function without(body: Sent, { at, name }: Pick<Suspect, 'at' | 'name'>): Sent {
  const [first, ...rest] = at
  if (first === undefined) return Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))
  const inner = body[first]
  return isRecord(inner) ? { ...body, [first]: without(inner, { at: rest, name }) } : body
}

/** A refusal that says of members which cannot be changed that they cannot, instead of that there are none. */
function told(error: Failure, suspects: readonly Suspect[]): Failure {
  // Without its `data`, members of a body are at a wrong place, and others than those that are read.
  const isUnwrapped = error.faults.some(({ source }) => source?.pointer === '/data')
  const fixed = new Set(isUnwrapped ? [] : suspects.map(({ at, name }) => `/${[...at, name].join('/')}`))
  return new Failure(
    error.faults.map((fault) => {
      const at = fault.source?.pointer
      if (at === undefined || !fixed.has(at) || fault.detail?.startsWith('Unknown member') !== true) return fault
      const name = at.slice(at.lastIndexOf('/') + 1)
      return { ...fault, detail: `\`${name}\` cannot be changed: omit it, or send it unchanged.` }
    }),
  )
}
