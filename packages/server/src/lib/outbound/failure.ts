/** Why an outbound request got no answer; closed, since deliveries and the steps of workflows show it. */
export type OutboundReason =
  | 'timeout'
  | 'refused_address'
  | 'dns'
  | 'tls'
  | 'connection'
  | 'invalid_answer'
  | 'invalid_request'

/** An outbound request that got no complete answer. Its message is for the user who set the request up. */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure'
  readonly reason: OutboundReason

  constructor(reason: OutboundReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

/** Reads `Retry-After`: seconds, or a date (RFC 9110 §10.2.3). Undefined where there is none. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header) * 1000
  // A date begins with the name of a day; the parser would take "-5" for one too.
  const at = /^\s*[A-Z]/i.test(header) ? Date.parse(header) : NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/** Tells whether a later try of a request may be answered otherwise than with this status. */
export const isRetryableStatus = (status: number): boolean => [408, 425, 429].includes(status) || status >= 500
