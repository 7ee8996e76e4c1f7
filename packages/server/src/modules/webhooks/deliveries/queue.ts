import type { Tx } from '../../../db/tx.ts'
import { enqueueSending } from '../job-types.ts'
import type { WebhookRow } from '../store.ts'
import { insertDeliveries, listBusyRecords, updateDeliveries, type DeliveryRow } from './store.ts'

/** An event that a webhook is to be told of. */
export type NewDelivery = Pick<
  DeliveryRow,
  'id' | 'event_id' | 'event_type' | 'object' | 'record_id' | 'sequence' | 'request_body'
>

/**
 * Enqueues deliveries, in the order of their events, for a webhook that is locked. Where the events of a record are
 * sent one after another, the first one is due, and those behind it wait for their turn.
 */
export async function queueDeliveries(
  tx: Tx,
  webhook: WebhookRow,
  given: readonly NewDelivery[],
  now: number,
): Promise<void> {
  if (given.length === 0) return
  const { workspace_id, id: webhook_id, ordered } = webhook
  const recordIds = ordered ? given.flatMap(({ record_id }) => (record_id === null ? [] : [record_id])) : []
  const busy =
    recordIds.length === 0 ? new Set<string>() : await listBusyRecords(tx, { workspace_id, webhook_id }, recordIds)
  const rows = given.map((delivery): DeliveryRow => {
    const waits = ordered && delivery.record_id !== null && busy.has(delivery.record_id)
    if (delivery.record_id !== null) busy.add(delivery.record_id)
    return { ...rowOf(webhook, delivery, now), due_at: waits ? null : now }
  })
  await insertDeliveries(tx, rows)
  await enqueueSending(tx, webhook, now)
}

/** What happened while a webhook was disabled is kept with it, and not sent by itself. */
export const skipDeliveries = (
  tx: Tx,
  webhook: WebhookRow,
  given: readonly NewDelivery[],
  now: number,
): Promise<void> =>
  insertDeliveries(
    tx,
    given.map((delivery) => ({
      ...rowOf(webhook, delivery, now),
      state: 'skipped_disabled',
      error: 'The webhook was disabled.',
      ended_at: now,
    })),
  )

const rowOf = ({ workspace_id, id: webhook_id }: WebhookRow, delivery: NewDelivery, now: number): DeliveryRow => ({
  ...delivery,
  workspace_id,
  webhook_id,
  state: 'pending',
  due_at: null,
  attempts: 0,
  tries: 0,
  began_at: null,
  response_status: null,
  error: null,
  created_at: now,
  ended_at: null,
})

type Again = Pick<DeliveryRow, 'workspace_id' | 'id' | 'record_id'>

/** What becomes of a delivery that is enqueued anew. */
type Renewed = Pick<DeliveryRow, 'state' | 'due_at' | 'tries' | 'began_at' | 'ended_at'>

/**
 * Enqueues deliveries anew, as if for the first time, for a webhook that is locked. The first of each record is due at
 * once, whatever else of the record is on its way; those behind it wait where the webhook is ordered.
 */
export async function queueAgain(tx: Tx, webhook: WebhookRow, rows: readonly Again[], now: number): Promise<Renewed> {
  const renewed: Renewed = { state: 'pending', due_at: now, tries: 0, began_at: null, ended_at: null }
  const seen = new Set<string>()
  const changes = rows.map(({ workspace_id, id, record_id }) => {
    const waits = webhook.ordered && record_id !== null && seen.has(record_id)
    if (record_id !== null) seen.add(record_id)
    return { workspace_id, id, ...renewed, due_at: waits ? null : now }
  })
  await updateDeliveries(tx, changes)
  if (rows.length > 0) await enqueueSending(tx, webhook, now)
  return renewed
}
