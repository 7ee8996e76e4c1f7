import type { RunStatus } from '@kontor/contract'

/** How far a person is with a campaign, as lists of them are filtered. */
export type Delivery = 'active' | 'completed' | 'failed' | 'unsubscribed'

/** The delivery that follows from the status of a run. */
export function deliveryOf(status: RunStatus): Exclude<Delivery, 'unsubscribed'> {
  if (status === 'success') return 'completed'
  return status === 'failed' || status === 'cancelled' || status === 'suppressed' ? 'failed' : 'active'
}
