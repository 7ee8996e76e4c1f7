import { ConnectionFailed } from './errors.ts'

const firstMs = 250
const longestMs = 8000

/** The API may ask for a longer wait than a program likes to be held up for; then its answer is returned. */
const askedMsMax = 60_000

/** Tells whether a status is that of an API, or of a proxy before it, that is busy or away. */
export const isPassing = (status: number): boolean => status === 429 || (status >= 502 && status <= 504)

/** Milliseconds to wait after a number of failures before this one: twice as long each time, with jitter. */
export const waitMs = (failures: number): number =>
  Math.round(Math.min(firstMs * 2 ** failures, longestMs) * (0.5 + Math.random() / 2))

/** Seconds after which the API wants to be asked again, where it says so. */
export function retryAfter(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

/** Milliseconds to wait before a request is sent again; undefined if that would not help. */
export function waitBefore(
  failures: number,
  outcome: { readonly response: Response } | ConnectionFailed,
): number | undefined {
  if (outcome instanceof ConnectionFailed) return waitMs(failures)
  const { status, headers } = outcome.response
  const seconds = retryAfter(headers)
  if (seconds === undefined) return isPassing(status) ? waitMs(failures) : undefined
  return seconds * 1000 > askedMsMax ? undefined : seconds * 1000 + waitMs(failures)
}
