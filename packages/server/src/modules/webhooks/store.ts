import type { WebhookFilter, webhookDisabledReasons } from '@kontor/contract'
import type { Knex } from 'knex'
import type { RowOf } from '../../db/columns.ts'
import { shortList, type ListReader } from '../../db/short-list.ts'
import { columnsOf, lister, rowsOf, readTotal } from '../../db/rows.ts'
import { param, statement } from '../../db/statement.ts'
import type { ReadTx, Tx, Database } from '../../db/tx.ts'
import { rowsOfTable, workspacesOf } from '../../db/workspaces.ts'
import type { SealedByKey } from '../../lib/key-ring.ts'
import { isOneOf } from '../../lib/guards.ts'
import type { Acting } from '../identity/acting/index.ts'

export type DisabledReason = (typeof webhookDisabledReasons)[number]

export type WebhookRow = RowOf<'webhook'> & {
  readonly events: readonly string[]
  readonly filter: WebhookFilter | null
  readonly disabled_reason: DisabledReason | null
  readonly secrets: SealedByKey
  readonly actor: Acting
}

const columns = columnsOf('webhook')

const webhooks = rowsOf<WebhookRow>('webhook', columns)

export const findWebhook = webhooks.find('workspace_id', 'id')

/** Finds a webhook and locks it: what is enqueued for it and what ends for it happens one after another. */
export const lockWebhook = webhooks.lock('change', 'workspace_id', 'id')

/** Reasons for which a webhook sends nothing, and yet is told what happens: it has an owner, and a filter that fits. */
const pauses = ['requested', 'gone', 'failing'] as const satisfies readonly DisabledReason[]

/** Returns whether a webhook has a delivery of each event that it asks for, be it sent or skipped. */
export const isFollowing = ({ enabled, disabled_reason }: WebhookRow): boolean =>
  enabled || isOneOf(pauses, disabled_reason)

/** Returns the webhooks that have a delivery of each event that they ask for. */
export const listFollowing = lister<[workspaceId: string], WebhookRow>(({ knex }, workspaceId) =>
  knex('webhook')
    .select(...columns)
    .where('workspace_id', workspaceId)
    .where((which) => void which.where('enabled', true).orWhereIn('disabled_reason', pauses))
    .orderBy('id'),
)

/** The webhooks with a filter, those that are disabled included. */
export const listFiltered = lister<[workspaceId: string], WebhookRow>(({ knex }, workspaceId) =>
  knex('webhook')
    .select(...columns)
    .where('workspace_id', workspaceId)
    .whereNotNull('filter')
    .orderBy('id'),
)

/** The webhooks that a member has made, the oldest first. */
export const listWebhooksBy = webhooks.list(['workspace_id', 'created_by'], 'id')

/** The webhooks that a caller may see: their own, or all of them. */
export type WebhookView = {
  readonly workspaceId: string
  readonly userId: string | null
  readonly createdBy: string
  readonly seesAll: boolean
}

const viewed =
  ({ workspaceId, userId, createdBy, seesAll }: WebhookView) =>
  (query: Knex.QueryBuilder): Knex.QueryBuilder => {
    query.where('workspace_id', workspaceId)
    if (seesAll) return query
    return userId === null
      ? query.whereNull('owner_id').where('created_by', createdBy)
      : query.where('owner_id', userId)
  }

/** The list of the webhooks that a caller may see. */
export const webhooksIn = (view: WebhookView): ListReader<WebhookRow> =>
  shortList({ from: ({ knex }) => viewed(view)(knex('webhook')), columns, id: 'id' })

export const countWebhooks = (tx: ReadTx, view: WebhookView): Promise<number> =>
  readTotal(tx, ({ knex }) => viewed(view)(knex('webhook').count('* as total')), false)

export const insertWebhook = webhooks.insert

export const updateWebhook = webhooks.update('workspace_id', 'id')

export const deleteWebhook = webhooks.remove('workspace_id', 'id')

const workspaceRow = statement<{ id: string }, unknown>(({ knex, dialect }) =>
  dialect.locked(knex('workspace').select('id').where('id', param('id')), 'change'),
)

/** Lets the webhooks of a workspace be enabled and disabled one after another: the last one ends following the log. */
export const lockWebhooks = async (tx: Tx, workspaceId: string): Promise<void> =>
  void (await tx.first(workspaceRow, { id: workspaceId }))

type ByOtherKey = Pick<WebhookRow, 'secrets_key'>

/** The workspaces with secrets that another key than this one has encrypted. */
export const listSealedByOthers = (tx: ReadTx, { secrets_key }: ByOtherKey): Promise<string[]> =>
  workspacesOf(tx, ({ knex }) => knex('webhook').whereNot({ secrets_key }))

/** The webhooks of a workspace whose secrets another key than this one has encrypted, locked. */
export const lockSealedByOthers = (tx: Tx, workspaceId: string, { secrets_key }: ByOtherKey): Promise<WebhookRow[]> =>
  tx.query(({ knex, dialect }) =>
    dialect.locked(
      knex('webhook')
        .select(...columns)
        .where('workspace_id', workspaceId)
        .whereNot({ secrets_key })
        .orderBy('id'),
      'change',
    ),
  )

/** A webhook that stopped by itself, for the operator. */
export type StoppedWebhook = {
  /** Slug of the workspace. */
  readonly workspace: string
  readonly id: string
  readonly reason: Exclude<DisabledReason, 'requested'>
  readonly disabled_at: number
}

/** The webhooks of all workspaces that stopped without a request to, the latest first. */
export async function listStopped(
  { reader }: Pick<Database, 'reader'>,
  rowsMax: number,
): Promise<readonly StoppedWebhook[]> {
  const found = await rowsOfTable<StoppedWebhook>(
    reader,
    ({ knex }) =>
      knex('webhook as h')
        .join('workspace as w', 'w.id', 'h.workspace_id')
        .select('w.slug as workspace', 'h.id', 'h.disabled_reason as reason', 'h.disabled_at')
        .where('h.enabled', false)
        .whereNot('h.disabled_reason', 'requested')
        .orderBy('h.disabled_at', 'desc')
        .limit(rowsMax),
    'h.workspace_id',
  )
  return found.toSorted((a, b) => b.disabled_at - a.disabled_at).slice(0, rowsMax)
}

type StoppedCount = Pick<StoppedWebhook, 'reason'> & { readonly webhooks: number }

/** Counts them by reason. */
export async function countStopped({ reader }: Pick<Database, 'reader'>): Promise<StoppedCount[]> {
  const found = await rowsOfTable<StoppedCount>(reader, ({ knex }) =>
    knex('webhook')
      .select('disabled_reason as reason')
      .count('* as webhooks')
      .where('enabled', false)
      .whereNot('disabled_reason', 'requested')
      .groupBy('disabled_reason'),
  )
  return [...Map.groupBy(found, ({ reason }) => reason)].map(([reason, ofNodes]) => ({
    reason,
    webhooks: ofNodes.reduce((sum, { webhooks: some }) => sum + some, 0),
  }))
}
