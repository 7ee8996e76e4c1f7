import type { Tx } from '../../../db/tx.ts'
import { isoTime } from '../../../kernel/clock.ts'
import type { DomainEvent } from '../../../kernel/events.ts'
import { retryAfterMs } from '../../../lib/outbound/failure.ts'
import {
  insertAttempts,
  listBusyRecords,
  listByIds,
  releaseNext,
  updateDeliveries,
  type AttemptRow,
  type DeliveryRow,
} from '../deliveries/store.ts'
import { disable, tell, type EventServices } from '../disable.ts'
import { lockWebhook, updateWebhook, type DisabledReason, type WebhookRow } from '../store.ts'
import { faultOf, hasSucceeded } from './attempt.ts'
import { failingMaxMs, nextAttemptAt, pauseMs, warningAt } from './schedule.ts'

type Key = Pick<WebhookRow, 'workspace_id' | 'id'>

/** The changes of a delivery by an attempt. */
type Settled = Pick<
  DeliveryRow,
  | 'workspace_id'
  | 'id'
  | 'attempts'
  | 'tries'
  | 'began_at'
  | 'response_status'
  | 'error'
  | 'state'
  | 'due_at'
  | 'ended_at'
>

/**
 * Stores attempts of a webhook, each of another delivery, and what follows from them for the deliveries, those behind
 * them and the webhook, which it returns. Passes over deliveries that are gone, and attempts that another process has
 * stored.
 */
export async function settleAttempts(
  tx: Tx,
  services: EventServices,
  { workspace_id, id: webhook_id }: Key,
  attempts: readonly AttemptRow[],
  now: number,
): Promise<WebhookRow | undefined> {
  const webhook = await lockWebhook(tx, workspace_id, webhook_id)
  if (webhook === undefined) return undefined
  const key = { workspace_id, webhook_id }
  const ids = attempts.map(({ delivery_id }) => delivery_id)
  const deliveries = new Map((await listByIds(tx, key.workspace_id, key.webhook_id, ids)).map((row) => [row.id, row]))
  const fresh = attempts.filter(({ delivery_id, number }) => deliveries.get(delivery_id)?.attempts === number - 1)
  const settled = fresh.flatMap((one) => {
    const delivery = deliveries.get(one.delivery_id)
    return delivery === undefined ? [] : [settle(delivery, one, now)]
  })
  await insertAttempts(tx, fresh)
  await updateDeliveries(tx, settled)
  const ended = settled
    .filter(({ ended_at }) => ended_at !== null)
    .map(({ id }) => deliveries.get(id)?.record_id ?? null)
  await releaseBehind(tx, webhook, ended, now)
  return settleWebhook(tx, services, webhook, fresh, now)
}

/**
 * Ends deliveries that are not sent, by their ids with the reason, and lets those behind them go on. Passes over
 * deliveries that have ended meanwhile.
 */
export async function withholdDeliveries(
  tx: Tx,
  { workspace_id, id: webhook_id }: Key,
  reasons: ReadonlyMap<string, string>,
  now: number,
): Promise<void> {
  const webhook = await lockWebhook(tx, workspace_id, webhook_id)
  if (webhook === undefined) return
  const rows = await listByIds(tx, workspace_id, webhook_id, [...reasons.keys()])
  const pending = rows.filter(({ state }) => state === 'pending')
  await updateDeliveries(
    tx,
    pending.map(({ id }) => ({
      workspace_id,
      id,
      state: 'failed',
      due_at: null,
      error: reasons.get(id) ?? null,
      ended_at: now,
    })),
  )
  await releaseBehind(
    tx,
    webhook,
    pending.map(({ record_id }) => record_id),
    now,
  )
}

function settle(delivery: DeliveryRow, one: AttemptRow, now: number): Settled {
  const tries = delivery.tries + 1
  const beganAt = delivery.began_at ?? one.at
  const succeeded = hasSucceeded(one)
  const isFinal = succeeded || one.response?.status === 410 || delivery.state !== 'pending'
  const nextAt = isFinal ? undefined : nextAttemptAt({ tries, beganAt, now, askedMs: askedMs(one, now) })
  return {
    workspace_id: delivery.workspace_id,
    id: delivery.id,
    attempts: one.number,
    tries,
    began_at: beganAt,
    response_status: one.response?.status ?? null,
    error: faultOf(one),
    state: succeeded ? 'succeeded' : nextAt === undefined ? 'failed' : 'pending',
    due_at: nextAt ?? null,
    ended_at: nextAt === undefined ? now : null,
  }
}

const askedMs = ({ response }: AttemptRow, now: number): number | undefined =>
  retryAfterMs(response?.headers['retry-after'], now)

/** Lets the next events of records be sent, of those whose events have been waiting, or the next event of all. */
async function releaseBehind(
  tx: Tx,
  { workspace_id, id: webhook_id, fifo }: WebhookRow,
  recordIds: readonly (string | null)[],
  now: number,
): Promise<void> {
  const ids = [...new Set(recordIds.filter((id) => id !== null))]
  if (ids.length === 0) return
  const key = { workspace_id, webhook_id }
  if (fifo) return releaseNext(tx, key, null, now)
  for (const id of await listBusyRecords(tx, key, ids)) await releaseNext(tx, key, id, now)
}

/** Counts failures in a row, and disables a webhook whose receiver is gone, or has failed for days. */
async function settleWebhook(
  tx: Tx,
  services: EventServices,
  webhook: WebhookRow,
  attempts: readonly AttemptRow[],
  now: number,
): Promise<WebhookRow> {
  let { failures, failing_since, paused_until } = webhook
  let ended: DisabledReason | undefined
  let hasRecovered = false
  for (const one of attempts) {
    if (hasSucceeded(one)) {
      failures = 0
      failing_since = null
      paused_until = null
      hasRecovered = true
      continue
    }
    failures++
    failing_since ??= now
    const pause = Math.max(pauseMs(failures), pauseAsked(one, now))
    paused_until = pause === 0 ? paused_until : now + pause
    if (one.response?.status === 410) ended = 'gone'
    else if (now - failing_since >= failingMaxMs) ended ??= 'failing'
  }
  const warned_percent = Math.max(
    hasRecovered ? 0 : webhook.warned_percent,
    failing_since === null ? 0 : warningAt(now - failing_since),
  )
  const change = { failures, failing_since, paused_until, warned_percent }
  const { workspace_id, id } = webhook
  if (failures !== webhook.failures || paused_until !== webhook.paused_until)
    await updateWebhook(tx, { workspace_id, id, ...change })
  const changed = { ...webhook, ...change }
  if (ended !== undefined && webhook.enabled) await disable(tx, services, webhook, ended, now)
  else {
    const news = newsOf(webhook, changed)
    if (news !== undefined) await tell(tx, services, webhook, now, [news])
  }
  return changed
}

/** Returns the events of a webhook that has come nearer to being disabled, or works again. */
function newsOf(before: WebhookRow, after: WebhookRow): DomainEvent | undefined {
  const about = { object: 'webhook', recordId: after.id }
  const { failing_since: since, warned_percent: percent } = after
  if (before.failing_since !== null && percent < before.warned_percent)
    return { ...about, type: 'webhook.recovered', payload: { failing_since: isoTime(before.failing_since) } }
  if (since === null || !after.enabled || percent <= before.warned_percent) return undefined
  const disabled_from = isoTime(since + failingMaxMs)
  return { ...about, type: 'webhook.failing', payload: { percent, failing_since: isoTime(since), disabled_from } }
}

/** A receiver that is busy and says when it can be asked again means all requests, not one. */
const pauseAsked = (one: AttemptRow, now: number): number =>
  one.response?.status === 429 || one.response?.status === 503 ? Math.min(askedMs(one, now) ?? 0, failingMaxMs) : 0
