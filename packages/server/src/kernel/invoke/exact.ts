import { isDeepStrictEqual } from 'node:util'
import { eventDefinitions, responseOf } from '@kontor/contract'
import type { Call } from '../calls.ts'
import type { DomainEvent } from '../events.ts'
import { pointer } from '../../lib/pointers.ts'

/**
 * Throws unless an answer, as it is on the wire, is exactly what its endpoint declares. A missing member and a wrong
 * type are faults, and so is an undeclared member, which parsing alone would strip. For tests and development only.
 */
export function assertExact({ name, endpoint }: Call, body: unknown): void {
  const wire: unknown = body === undefined ? undefined : JSON.parse(JSON.stringify(body))
  const parsed = responseOf(endpoint).safeParse(wire)
  if (!parsed.success)
    throw new Error(`${name} breaks its contract: ${JSON.stringify(parsed.error.issues.slice(0, 3))}`)
  if (!isDeepStrictEqual(parsed.data, wire))
    throw new Error(`${name} answers with undeclared members: ${differences(wire, parsed.data, []).join(', ')}`)
}

/** Throws unless events say exactly what the contract declares of their types; for tests and development only. */
export function assertPayloads(events: readonly DomainEvent[]): void {
  for (const { type, payload } of events) {
    const parsed = eventDefinitions[type].payload.safeParse(JSON.parse(JSON.stringify(payload)))
    if (!parsed.success)
      throw new Error(`${type} breaks its contract: ${JSON.stringify(parsed.error.issues.slice(0, 3))}`)
  }
}

/** Throws unless an endpoint declares that it publishes such events; for tests and development only. */
export function assertEmits({ name, endpoint }: Call, events: readonly DomainEvent[]): void {
  const undeclared = events.find(({ type }) => endpoint.emits?.includes(type) !== true)
  if (undeclared !== undefined) throw new Error(`${name} does not declare that it emits ${undeclared.type}`)
}

function differences(wire: unknown, declared: unknown, path: readonly PropertyKey[]): string[] {
  if (typeof wire !== 'object' || wire === null || typeof declared !== 'object' || declared === null) {
    return isDeepStrictEqual(wire, declared) ? [] : [pointer(path)]
  }
  return Object.entries(wire).flatMap(([key, value]) =>
    key in declared ? differences(value, Reflect.get(declared, key), [...path, key]) : [pointer([...path, key])],
  )
}
