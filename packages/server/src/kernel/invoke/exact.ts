import { isDeepStrictEqual } from 'node:util'
import { responseOf } from '@kontor/contract'
import type { Call } from '../calls.ts'
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

function differences(wire: unknown, declared: unknown, path: readonly PropertyKey[]): string[] {
  if (typeof wire !== 'object' || wire === null || typeof declared !== 'object' || declared === null) {
    return isDeepStrictEqual(wire, declared) ? [] : [pointer(path)]
  }
  return Object.entries(wire).flatMap(([key, value]) =>
    key in declared ? differences(value, Reflect.get(declared, key), [...path, key]) : [pointer([...path, key])],
  )
}
