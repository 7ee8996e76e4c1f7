import {
  undeliveredStatuses,
  type Input,
  type WebhookDeliveryStatus,
  type webhookErrors,
  type webhooks,
} from '@kontor/contract'
import type { Knex } from 'knex'
import type { RowOf } from '../../../db/columns.ts'
import { limited } from '../../../db/expressions.ts'
import { columnsOf, rowsOf, readColumn } from '../../../db/rows.ts'
import { shortList, type ListReader } from '../../../db/short-list.ts'
import { param, statement } from '../../../db/statement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { expiredRows } from '../../../engine/expired-rows/store.ts'
import { dayMs } from '../../../kernel/clock.ts'
import { senderOf, type Cause, type Chain } from '../../../kernel/actor.ts'

export type DeliveryRow = RowOf<'webhook_delivery'> & {
  readonly state: WebhookDeliveryStatus
  /** The workflow that did what is told; null where a person or a program did. */
  readonly caused_by: CausedBy | null
}

/** The response of a receiver. */
type AnswerRow = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly is_cut: boolean
}

export type AttemptRow = RowOf<'webhook_attempt'> & {
  readonly request_headers: Readonly<Record<string, string>>
  readonly response: AnswerRow | null
  readonly reason: (typeof webhookErrors)[number] | null
}

const columns = columnsOf('webhook_delivery')

type OfWebhook = Pick<DeliveryRow, 'workspace_id' | 'webhook_id'>

const ofWebhook = (knex: Knex): Knex.QueryBuilder =>
  knex('webhook_delivery').where({ workspace_id: param('workspace_id'), webhook_id: param('webhook_id') })

const pendingOf = (knex: Knex): Knex.QueryBuilder => ofWebhook(knex).where('state', 'pending')

const deliveries = rowsOf<DeliveryRow>('webhook_delivery', columns)

export const findDelivery = deliveries.findByKey('workspace_id', 'webhook_id', 'id')

/** Some deliveries of a webhook. */
export const listByIds = deliveries.listAmong(['workspace_id', 'webhook_id'], 'id')

const attempts = rowsOf<AttemptRow>('webhook_attempt', columnsOf('webhook_attempt'))

export const listAttempts = attempts.list(['workspace_id', 'delivery_id'], 'number')

export const insertAttempts = (tx: Tx, rows: readonly AttemptRow[]): Promise<void> => tx.insert('webhook_attempt', rows)

type Status = NonNullable<NonNullable<Input<typeof webhooks.listDeliveries>['filter']>['status']>

/** The criteria of a list of deliveries. */
export type DeliveryView = OfWebhook & {
  readonly status: Status | undefined
  readonly type: string | undefined
}

const viewed =
  ({ workspace_id, webhook_id, status, type }: DeliveryView) =>
  (query: Knex.QueryBuilder): Knex.QueryBuilder => {
    query.where({ workspace_id, webhook_id, ...(type !== undefined && { event_type: type }) })
    return status === undefined ? query : query.whereIn('state', statesOf(status))
  }

const statesOf = (status: Status): readonly WebhookDeliveryStatus[] =>
  status === 'undelivered' ? undeliveredStatuses : [status]

/** The list of the deliveries of a webhook. */
export const deliveriesIn = (view: DeliveryView): ListReader<DeliveryRow> =>
  shortList({ from: ({ knex }) => viewed(view)(knex('webhook_delivery')), columns, id: 'id' })

/** The outcome of a delivery, and the duration of its last attempt; null without one. */
export type EndedDelivery = Pick<DeliveryRow, 'state'> & { readonly duration_ms: number | null }

const lastEnded = statement<OfWebhook & { rows: number }, EndedDelivery>((sql) =>
  limited(
    sql,
    sql
      .knex('webhook_delivery as d')
      .leftJoin('webhook_attempt as a', (join) => {
        join.on('a.workspace_id', 'd.workspace_id').andOn('a.delivery_id', 'd.id').andOn('a.number', 'd.attempts')
      })
      .select('d.state', 'a.duration_ms')
      .where('d.workspace_id', param('workspace_id'))
      .where('d.webhook_id', param('webhook_id'))
      .whereIn('d.state', ['succeeded', 'failed'])
      .orderBy([
        { column: 'd.created_at', order: 'desc' },
        { column: 'd.id', order: 'desc' },
      ]),
    param('rows'),
  ),
)

/** The latest deliveries of a webhook that have succeeded or were given up. */
export const listLastEnded = (tx: ReadTx, key: OfWebhook, rows: number): Promise<EndedDelivery[]> =>
  tx.all(lastEnded, { ...key, rows })

export const insertDeliveries = (tx: Tx, rows: readonly DeliveryRow[]): Promise<void> =>
  tx.insert('webhook_delivery', rows)

type DeliveryKey = Pick<DeliveryRow, 'workspace_id' | 'id'>

export const updateDeliveries = (tx: Tx, rows: readonly (DeliveryKey & Partial<DeliveryRow>)[]): Promise<void> =>
  tx.updateByKey('webhook_delivery', ['workspace_id', 'id'], rows)

const due = statement<OfWebhook & { now: number; rows: number }, DeliveryRow>((sql) =>
  limited(
    sql,
    pendingOf(sql.knex)
      .select(...columns)
      .where('due_at', '<=', param('now'))
      .orderBy(['due_at', 'sequence', 'id']),
    param('rows'),
  ),
)

/** The deliveries of a webhook that are due, those that have waited longest first. */
export const listDue = (tx: ReadTx, key: OfWebhook, now: number, rows: number): Promise<DeliveryRow[]> =>
  tx.all(due, { ...key, now, rows })

const newest = statement<OfWebhook, Pick<DeliveryRow, 'created_at'>>(({ knex }) =>
  ofWebhook(knex).select('created_at').orderBy('created_at', 'desc').limit(1),
)

/** Clocks of nodes differ by less. */
const skewMs = 60_000

/** Returns whether a delivery of a webhook was created later than now: the clock was set back. */
export const wasSetBack = async (tx: ReadTx, key: OfWebhook, now: number): Promise<boolean> =>
  ((await tx.first(newest, key))?.created_at ?? 0) > now + skewMs

const pullBack = statement<OfWebhook & { now: number; ahead: number }, never>(({ knex }) =>
  pendingOf(knex)
    .where('created_at', '>', param('ahead'))
    .where('due_at', '>', param('now'))
    .update({ due_at: param('now') }),
)

/** Lets be sent now what was created later than now: when that would be due was told by another clock. */
export const followClock = (tx: Tx, key: OfWebhook, now: number): Promise<number> =>
  tx.run(pullBack, { ...key, now, ahead: now + skewMs })

const nextDue = statement<OfWebhook, { due_at: number }>(({ knex }) =>
  pendingOf(knex).select('due_at').whereNotNull('due_at').orderBy('due_at').limit(1),
)

/** When the next delivery of a webhook is due. */
export const findNextDue = async (tx: ReadTx, key: OfWebhook): Promise<number | undefined> =>
  (await tx.first(nextDue, key))?.due_at

/** The records, among some, of which a webhook has still to be told something. */
export const listBusyRecords = async (
  tx: ReadTx,
  { workspace_id, webhook_id }: OfWebhook,
  recordIds: readonly string[],
): Promise<Set<string>> =>
  new Set(
    await readColumn(tx, ({ knex, dialect }) =>
      knex('webhook_delivery')
        .distinct('record_id')
        .where({ workspace_id, webhook_id, state: 'pending' })
        .where(dialect.oneOf('record_id', recordIds)),
    ),
  )

type First = Pick<DeliveryRow, 'id' | 'due_at'>

const firstOfRecord = statement<OfWebhook & { record_id: string }, First>(({ knex }) =>
  pendingOf(knex).select('id', 'due_at').where('record_id', param('record_id')).orderBy(['sequence', 'id']).limit(1),
)

/** Tests of a webhook are about no record, and wait for nothing. */
const firstOfAll = statement<OfWebhook, First>(({ knex }) =>
  pendingOf(knex).select('id', 'due_at').whereNotNull('record_id').orderBy(['sequence', 'id']).limit(1),
)

/** Lets the next event of a record be sent, or of all with null, unless an earlier one is on its way again. */
export async function releaseNext(tx: Tx, key: OfWebhook, recordId: string | null, now: number): Promise<void> {
  const first = await (recordId === null
    ? tx.first(firstOfAll, key)
    : tx.first(firstOfRecord, { ...key, record_id: recordId }))
  if (first?.due_at === null)
    await updateDeliveries(tx, [{ workspace_id: key.workspace_id, id: first.id, due_at: now }])
}

/** Returns whether a webhook has still to be told of something. */
export const isBusy = async (tx: ReadTx, key: OfWebhook): Promise<boolean> =>
  (await tx.first(firstOfAll, key)) !== undefined

const release = statement<OfWebhook & { now: number }, never>(({ knex }) =>
  pendingOf(knex)
    .whereNull('due_at')
    .update({ due_at: param('now') }),
)

/** Lets everything be sent that waits for its turn. */
export const releaseAll = (tx: Tx, key: OfWebhook, now: number): Promise<number> => tx.run(release, { ...key, now })

const giveUp = statement<OfWebhook & { now: number; error: string }, never>(({ knex }) =>
  pendingOf(knex).update({ state: 'failed', due_at: null, ended_at: param('now'), error: param('error') }),
)

const releaseEach = statement<OfWebhook & { now: number }, never>(({ knex }) =>
  pendingOf(knex)
    .whereNull('due_at')
    .whereNotExists(
      knex('webhook_delivery as earlier')
        .where('earlier.workspace_id', param('workspace_id'))
        .where('earlier.webhook_id', param('webhook_id'))
        .where('earlier.state', 'pending')
        .where('earlier.record_id', knex.ref('webhook_delivery.record_id'))
        .where('earlier.sequence', '<', knex.ref('webhook_delivery.sequence')),
    )
    .update({ due_at: param('now') }),
)

/** Lets the first event of each record be sent. */
export const releaseFirsts = (tx: Tx, key: OfWebhook, now: number): Promise<number> =>
  tx.run(releaseEach, { ...key, now })

/** Gives up everything that a webhook has not sent yet. */
export const giveUpPending = (tx: Tx, key: OfWebhook, now: number, error: string): Promise<number> =>
  tx.run(giveUp, { ...key, now, error })

type Failed = Pick<DeliveryRow, 'workspace_id' | 'id' | 'record_id' | 'caused_by'>

const failedSince = statement<OfWebhook & { since: number; rows: number }, Failed>((sql) =>
  limited(
    sql,
    ofWebhook(sql.knex)
      .select('workspace_id', 'id', 'record_id', 'caused_by')
      .whereIn('state', undeliveredStatuses)
      .where('created_at', '>=', param('since'))
      .orderBy(['sequence', 'id']),
    param('rows'),
  ),
)

/** The deliveries since an instant that have not arrived and are not tried any more, in the order of their events. */
export const listFailedSince = (tx: ReadTx, key: OfWebhook, since: number, rows: number): Promise<Failed[]> =>
  tx.all(failedSince, { ...key, since, rows })

const someOf = statement<OfWebhook & { rows: number }, DeliveryKey>((sql) =>
  limited(sql, ofWebhook(sql.knex).select('workspace_id', 'id').orderBy('created_at'), param('rows')),
)

/** Deletes some deliveries of a webhook, with their attempts; returns whether there may be more. */
export async function deleteSome(tx: Tx, key: OfWebhook, rows: number): Promise<boolean> {
  const some = await tx.all(someOf, { ...key, rows })
  await tx.deleteByKey(
    'webhook_attempt',
    some.map(({ workspace_id, id }) => ({ workspace_id, delivery_id: id })),
  )
  await tx.deleteByKey('webhook_delivery', some)
  return some.length === rows
}

/** Requests and answers hold what records hold: they are kept for as long as events. */
const keptMs = 30 * dayMs

/** Rows deleted in one batch: some have 64 KiB. */
const batchMax = 200

export const deliveryUpkeep = expiredRows('webhook_delivery', {
  key: ['workspace_id', 'id'],
  expired: (rows, now) => rows.where('created_at', '<', now - keptMs).whereNot('state', 'pending'),
  oldestBy: 'created_at',
  batchMax,
})

export const attemptUpkeep = expiredRows('webhook_attempt', {
  key: ['workspace_id', 'delivery_id', 'number'],
  expired: (rows, now) => rows.where('at', '<', now - keptMs),
  oldestBy: 'at',
  batchMax,
})

/** The workflow that did what a delivery is about, as a delivery stores it: before chains, by its id. */
type CausedBy = Chain | Pick<Cause, 'workflowId' | 'depth'>

/** Returns the chain that a delivery goes on with. */
export const chainOfCause = (cause: CausedBy | null): Chain | undefined =>
  cause === null ? undefined : 'sender' in cause ? cause : { sender: senderOf(cause.workflowId), depth: cause.depth }
