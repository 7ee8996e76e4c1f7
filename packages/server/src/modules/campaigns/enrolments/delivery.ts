import type { RecipientProgress, RunStatus } from '@kontor/contract'

/** The progress of a person in a campaign, as lists filter it. */
export type Delivery = 'active' | 'completed' | 'failed' | 'unsubscribed'

/** The delivery that follows from the status of a run. */
export function deliveryOf(status: RunStatus): Exclude<Delivery, 'unsubscribed'> {
  if (status === 'success') return 'completed'
  return status === 'failed' || status === 'cancelled' || status === 'suppressed' ? 'failed' : 'active'
}

/** The columns by which a person of a campaign is counted. */
export type Standing = {
  readonly delivery: Delivery
  readonly run_status: RunStatus
  readonly last_sent_at: number | null
}

/** Returns the progress of a person, as it is counted. A failed person counts as failed, although letters were sent. */
export function progressOf({ delivery, run_status, last_sent_at }: Standing): RecipientProgress {
  if (delivery === 'active') return 'pending'
  if (run_status === 'failed') return 'failed'
  if (last_sent_at !== null) return 'sent'
  return run_status === 'cancelled' && delivery !== 'unsubscribed' ? 'failed' : 'suppressed'
}
