import { isRecord } from '../lib/guards.ts'
import { failure } from '../kernel/errors.ts'

export type CallInput = Readonly<Record<string, unknown>>

/** A whole call that came as one value; 400 for what is no object. */
export function callInput(value: unknown): CallInput {
  const given = value ?? {}
  if (!isRecord(given))
    throw failure('invalid_parameter', 'The input must be an object: parameters flat, the body under "body".')
  return given
}
