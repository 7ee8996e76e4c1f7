import type { Chain } from '../../../kernel/actor.ts'
import type { OutboundClient } from '../../../lib/outbound/client.ts'
import { OutboundFailure } from '../../../lib/outbound/failure.ts'
import type { KeyRing } from '../../../lib/key-ring.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { chainOfCause, type AttemptRow, type DeliveryRow } from '../deliveries/store.ts'
import type { WebhookRow } from '../store.ts'
import { signingSecrets } from './secrets.ts'
import { signatureHeaders } from './signature.ts'

/** The services that an attempt needs. */
export type AttemptServices = {
  readonly outbound: OutboundClient
  readonly keys: KeyRing
  readonly clock: Clock
  /** The headers by which a workflow that is told knows of those before it. */
  readonly chain: (chain: Chain | undefined) => Readonly<Record<string, string>>
}

/** A delivery with what it sends. */
export type OutgoingDelivery = DeliveryRow & { readonly body: string }

/**
 * Sends a delivery once, and tells what happened. Rejects only where nothing was sent: when the signal is aborted, or
 * the secrets cannot be read.
 */
export async function attempt(
  { outbound, keys, clock, chain }: AttemptServices,
  webhook: WebhookRow,
  delivery: OutgoingDelivery,
  signal: AbortSignal,
): Promise<AttemptRow> {
  const at = clock.now()
  const startedMs = clock.monotonicMs()
  const { workspace_id, id, body } = delivery
  const headers = {
    'content-type': 'application/json',
    ...chain(chainOfCause(delivery.caused_by)),
    ...signatureHeaders({ id, now: at, body }, signingSecrets(keys, webhook, at)),
  }
  const base = { workspace_id, delivery_id: id, number: delivery.attempts + 1, at, request_headers: headers }
  const durationMs = (): number => Math.round(clock.monotonicMs() - startedMs)
  try {
    const { isCut, ...answer } = await outbound.send({ method: 'POST', url: webhook.url, headers, body }, signal)
    const response = { ...answer, is_cut: isCut }
    return { ...base, duration_ms: durationMs(), response, reason: null, detail: null }
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    return { ...base, duration_ms: durationMs(), response: null, reason: error.reason, detail: error.message }
  }
}

export const hasSucceeded = ({ response }: AttemptRow): boolean =>
  response !== null && response.status >= 200 && response.status < 300

/** Returns the fault of an attempt, as a sentence; null if there was none. */
export function faultOf(one: AttemptRow): string | null {
  if (hasSucceeded(one)) return null
  return one.response === null ? one.detail : `The receiver responded with ${one.response.status}.`
}
