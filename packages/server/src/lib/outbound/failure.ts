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
