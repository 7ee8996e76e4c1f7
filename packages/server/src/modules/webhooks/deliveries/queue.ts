import type { Tx } from '../../../db/tx.ts'
import { furtherChain, type Chain } from '../../../kernel/actor.ts'
import { enqueueSending } from '../job-types.ts'
import type { WebhookRow } from '../store.ts'
import { chainOfCause, insertDeliveries, isBusy, listBusyRecords, updateDeliveries, type DeliveryRow } from './store.ts'

/** An event that a webhook is to be told of. */
export type NewDelivery = Pick<
  DeliveryRow,
  'id' | 'event_id' | 'event_type' | 'object' | 'record_id' | 'sequence' | 'caused_by'
>

/**
 * Enqueues deliveries, in the order of their events, for a webhook that is locked. Where the events of a record, or all
 * of them, are sent one after another, the first one is due, and those behind it wait for their turn.
 */
export async function queueDeliveries(
  tx: Tx,
  webhook: WebhookRow,
  given: readonly NewDelivery[],
  now: number,
): Promise<void> {
  if (given.length === 0) return
  const busy = await busyLanes(tx, webhook, given)
  const rows = given.map((delivery): DeliveryRow => {
    const lane = laneOf(webhook, delivery)
    const waits = lane !== undefined && busy.has(lane)
    if (lane !== undefined) busy.add(lane)
    return { ...rowOf(webhook, delivery, now), due_at: waits ? null : now }
  })
  await insertDeliveries(tx, rows)
  await enqueueSending(tx, webhook, now)
}

/** The lane of a webhook that sends everything one after another. */
const only = 'all'

/** Returns the lane in which deliveries wait for one another: a record, or all; undefined if it waits for none. */
function laneOf({ ordered, fifo }: WebhookRow, { record_id }: Pick<DeliveryRow, 'record_id'>): string | undefined {
  if (!ordered || record_id === null) return undefined
  return fifo ? only : record_id
}

/** The lanes of some deliveries in which others are on their way, or wait. */
async function busyLanes(tx: Tx, webhook: WebhookRow, given: readonly NewDelivery[]): Promise<Set<string>> {
  const lanes = new Set(given.flatMap((delivery) => laneOf(webhook, delivery) ?? []))
  const key = { workspace_id: webhook.workspace_id, webhook_id: webhook.id }
  if (lanes.size === 0) return lanes
  if (!webhook.fifo) return listBusyRecords(tx, key, [...lanes])
  return (await isBusy(tx, key)) ? lanes : new Set()
}

/** Keeps events during which a webhook was disabled, without sending them by itself. */
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

type Again = Pick<DeliveryRow, 'workspace_id' | 'id' | 'record_id' | 'caused_by'>

/** The columns of a delivery that is enqueued anew. */
type Renewed = Pick<DeliveryRow, 'state' | 'due_at' | 'tries' | 'began_at' | 'ended_at'>

/**
 * Enqueues deliveries anew, as if for the first time, for a webhook that is locked. The first of each record is due at
 * once, whatever else of the record is on its way; those behind it wait where the webhook is ordered.
 */
export async function queueAgain(
  tx: Tx,
  webhook: WebhookRow,
  rows: readonly Again[],
  { now, chain }: { readonly now: number; readonly chain: Chain | undefined },
): Promise<Renewed> {
  const renewed: Renewed = { state: 'pending', due_at: now, tries: 0, began_at: null, ended_at: null }
  const seen = new Set<string>()
  const changes = rows.map(({ workspace_id, id, record_id, caused_by }) => {
    const lane = laneOf(webhook, { record_id })
    const waits = lane !== undefined && seen.has(lane)
    if (lane !== undefined) seen.add(lane)
    const further = furtherChain(chainOfCause(caused_by), chain) ?? null
    return { workspace_id, id, ...renewed, due_at: waits ? null : now, caused_by: further }
  })
  await updateDeliveries(tx, changes)
  if (rows.length > 0) await enqueueSending(tx, webhook, now)
  return renewed
}
