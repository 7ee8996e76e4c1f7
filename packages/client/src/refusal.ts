import type { ErrorBody } from '@kontor/contract'
import { KontorError } from './errors.ts'
import { retryAfter } from './retries.ts'

/** Parses a text as JSON; returns undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The error that an answer stands for. */
export function refusal(request: string, { status, headers }: Response, body: unknown): KontorError {
  const { errors } = (body ?? {}) as Partial<ErrorBody>
  return new KontorError(request, status, Array.isArray(errors) ? errors : [], retryAfter(headers))
}
