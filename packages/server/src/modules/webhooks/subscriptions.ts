import { isDeepStrictEqual } from 'node:util'
import { attributesOf, webhooks, webhookSortColumns, type Input, type Output } from '@kontor/contract'
import type { ReadTx } from '../../db/tx.ts'
import { isActingStop } from '../identity/acting/index.ts'
import { startFollowing } from '../events/index.ts'
import { holdSchemas } from '../schemas/index.ts'
import { actorId, actorUserId, withoutCause } from '../../kernel/actor.ts'
import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import { presenterOf } from '../../kernel/resource.ts'
import { requireFewEarlier } from '../../kernel/secret-overlaps.ts'
import { shortPage } from '../../kernel/short-page.ts'
import type { KeyRing } from '../../lib/key-ring.ts'
import type { OutboundClient } from '../../lib/outbound/client.ts'
import { pointerOf, requireFilter, requireOrder, requireTarget, type CheckContext } from './check.ts'
import { consumerName, endFollowing, stopSending } from './disable.ts'
import { releaseAll, releaseFirsts } from './deliveries/store.ts'
import { requireChangeable, requireWebhook, viewOf } from './find.ts'
import { openSecrets, sealSecrets } from './sending/secrets.ts'
import { lastUntil, retire } from './sending/retired-secrets.ts'
import { newWebhookSecret } from './sending/signature.ts'
import { enqueueForgetting, enqueueSending } from './job-types.ts'
import {
  countWebhooks,
  deleteWebhook,
  insertWebhook,
  listWebhooksBy,
  lockWebhook,
  lockWebhooks,
  updateWebhook,
  webhooksIn,
  type WebhookRow,
} from './store.ts'
import { sortedColumns } from '../../kernel/requested-order.ts'

/** The services that webhooks need. */
export type WebhookServices = { readonly outbound: OutboundClient; readonly keys: KeyRing }

const present = presenterOf(webhooks.get.response.shape.data)

const presentWebhook = (row: WebhookRow): Output<typeof webhooks.get>['data'] => present(row, {})

function presentWithSecret(row: WebhookRow, secret: string): Output<typeof webhooks.create>['data'] {
  const { attributes, ...rest } = presentWebhook(row)
  return { ...rest, attributes: { ...attributes, secret } }
}

/** Each event is compared with every webhook of its workspace. */
const webhooksMax = 100

const sorting = {
  columns: sortedColumns(webhookSortColumns),
  otherwise: { column: 'created_at', descending: false },
} as const

export const listPage = async (ctx: WorkspaceReadContext<'unknown_field'>, input: Input<typeof webhooks.list>) => {
  const { rows, ...envelope } = await shortPage(ctx, webhooks.list, input, {
    ...sorting,
    read: webhooksIn(viewOf(ctx)),
  })
  return { body: { data: rows.map(presentWebhook), ...envelope } }
}

export async function create(
  ctx: WriteContext & CheckContext,
  { outbound, keys }: WebhookServices,
  { body }: Input<typeof webhooks.create>,
) {
  const { workspaceId } = ctx.workspace
  const given = attributesOf(body)
  const pointer = pointerOf(body)
  requireTarget(ctx, outbound, given.url, pointer)
  requireOrder(ctx, given, pointer)
  if (given.filter != null) {
    // The names in a filter stay valid until it is stored; later they are renamed with all others.
    await holdSchemas(ctx)
    await requireFilter(ctx, given.filter, pointer)
  }
  await lockWebhooks(ctx.tx, workspaceId)
  if ((await countWebhooks(ctx.tx, { ...viewOf(ctx), seesAll: true })) >= webhooksMax)
    throw ctx.fail('invalid_body', { detail: `A workspace can have at most ${webhooksMax} webhooks.` })
  const id = ctx.newId()
  const eventId = ctx.newId()
  const secret = newWebhookSecret()
  const row: WebhookRow = {
    workspace_id: workspaceId,
    id,
    url: given.url,
    events: given.events,
    filter: given.filter ?? null,
    description: given.description ?? null,
    ordered: given.ordered,
    fifo: given.fifo,
    enabled: given.enabled,
    follows_from: null,
    sends_from: null,
    enabled_by: eventId,
    disabled_reason: given.enabled ? null : 'requested',
    disabled_at: given.enabled ? null : ctx.now,
    failing_since: null,
    failures: 0,
    warned_percent: 0,
    paused_until: null,
    ...sealSecrets(keys, id, { current: secret, retired: [] }),
    old_secret_until: null,
    ...ownership(ctx),
    created_at: ctx.now,
    created_by: actorId(ctx.actor),
    updated_at: ctx.now,
  }
  await insertWebhook(ctx.tx, row)
  await startFollowing(ctx.tx, workspaceId, consumerName)
  await emit(ctx, 'webhook.created', row, eventId)
  return { body: { data: presentWithSecret(row, secret) } }
}

/** Whose view is sent. */
const ownership = ({ actor, workspace: { role } }: WriteContext): Pick<WebhookRow, 'actor' | 'owner_id'> => ({
  actor: { ...withoutCause(actor), role },
  owner_id: actorUserId(actor),
})

type EventType = 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.secret_rotated'

const emit = (ctx: WriteContext, type: EventType, { id }: WebhookRow, eventId = ctx.newId()): Promise<void> =>
  ctx.emit([{ type, object: 'webhook', recordId: id, payload: {}, id: eventId }])

export async function update(
  ctx: WriteContext & CheckContext,
  { outbound }: WebhookServices,
  { id, body }: Input<typeof webhooks.update>,
) {
  const given = attributesOf(body)
  // Before the webhook, as changes of schemas lock them.
  if (given.filter != null) await holdSchemas(ctx)
  const row = await requireChangeable(ctx, id)
  const pointer = pointerOf(body)
  if (given.url !== undefined) requireTarget(ctx, outbound, given.url, pointer)
  if (given.filter != null) await requireFilter(ctx, given.filter, pointer)
  const wanted = wantedOf(row, given)
  requireOrder(ctx, wanted, pointer)
  const { enabled = row.enabled } = given
  if (enabled === row.enabled && isDeepStrictEqual(wanted, wantedOf(row, {})))
    return { body: { data: presentWebhook(row) } }
  const change: Partial<WebhookRow> = { ...wanted, updated_at: ctx.now, ...(wanted.url !== row.url && afresh) }
  await updateWebhook(ctx.tx, { workspace_id: row.workspace_id, id, ...change })
  if ((row.ordered && !wanted.ordered) || (row.fifo && !wanted.fifo)) {
    const release = wanted.ordered ? releaseFirsts : releaseAll
    await release(ctx.tx, { workspace_id: row.workspace_id, webhook_id: id }, ctx.clockNow)
    await enqueueSending(ctx.tx, row, ctx.clockNow)
  }
  const eventId = ctx.newId()
  const switched = enabled === row.enabled ? {} : await setEnabled(ctx, row, enabled, eventId)
  await emit(ctx, 'webhook.updated', row, eventId)
  return { body: { data: presentWebhook({ ...row, ...change, ...switched }) } }
}

/** Another receiver is not to blame for what the one before it did. */
const afresh = { failing_since: null, failures: 0, warned_percent: 0, paused_until: null }

type Change = Extract<Input<typeof webhooks.update>['body'], { readonly url?: string | undefined }>

/** Returns the requested state of a webhook, except whether it is enabled. */
const wantedOf = (row: WebhookRow, { url, events, filter, description, ordered, fifo }: Change) => ({
  url: url ?? row.url,
  events: events ?? row.events,
  filter: filter === undefined ? row.filter : filter,
  description: description === undefined ? row.description : description,
  ordered: ordered ?? row.ordered,
  fifo: fifo ?? row.fifo,
})

/** Enabled by another person after its owner could not go on, a webhook sends what that person may see. */
async function setEnabled(
  ctx: WriteContext,
  row: WebhookRow,
  enabled: boolean,
  eventId: string,
): Promise<Partial<WebhookRow>> {
  const key = { workspace_id: row.workspace_id, id: row.id }
  if (!enabled) return stopSending(ctx.tx, key, 'requested', ctx.now)
  const change: Partial<WebhookRow> = {
    enabled: true,
    sends_from: null,
    enabled_by: eventId,
    disabled_reason: null,
    disabled_at: null,
    ...afresh,
    ...(isActingStop(row.disabled_reason) && ownership(ctx)),
  }
  await updateWebhook(ctx.tx, { ...key, ...change })
  await lockWebhooks(ctx.tx, row.workspace_id)
  await startFollowing(ctx.tx, row.workspace_id, consumerName)
  return change
}

export async function remove(ctx: WriteContext, { id }: Input<typeof webhooks.remove>) {
  await deleteLocked(ctx, await requireChangeable(ctx, id))
  return { body: {} }
}

async function deleteLocked(ctx: WriteContext, row: WebhookRow): Promise<void> {
  await deleteWebhook(ctx.tx, row.workspace_id, row.id)
  await enqueueForgetting(ctx.tx, row, ctx.clockNow)
  await endFollowing(ctx.tx, row.workspace_id)
  await emit(ctx, 'webhook.deleted', row)
}

/** The webhooks that a member has made, which go on sending to where they said. */
export const webhooksMade = {
  name: 'webhooks' as const,
  list: async (tx: ReadTx, workspaceId: string, userId: string) =>
    (await listWebhooksBy(tx, workspaceId, userId)).map(({ id, url, enabled }) => ({ id, name: url, enabled })),
  async end(ctx: WriteContext, userId: string): Promise<void> {
    for (const { workspace_id, id } of await listWebhooksBy(ctx.tx, ctx.workspace.workspaceId, userId)) {
      const row = await lockWebhook(ctx.tx, workspace_id, id)
      if (row !== undefined) await deleteLocked(ctx, row)
    }
  },
}

export async function rotateSecret(
  ctx: WriteContext,
  { keys }: WebhookServices,
  { id, body }: Input<typeof webhooks.rotateSecret>,
) {
  const row = await requireChangeable(ctx, id)
  const secret = newWebhookSecret()
  const before = openSecrets(keys, row)
  const retired = retire(before.retired, before.current, body.overlap_hours, ctx.clockNow)
  requireFewEarlier(ctx, retired)
  const change = {
    ...sealSecrets(keys, id, { current: secret, retired }),
    old_secret_until: lastUntil(retired),
    updated_at: ctx.now,
  }
  await updateWebhook(ctx.tx, { workspace_id: row.workspace_id, id, ...change })
  await emit(ctx, 'webhook.secret_rotated', row)
  return { body: { data: presentWithSecret({ ...row, ...change }, secret) } }
}

export const get = async (ctx: WorkspaceReadContext, { id }: Input<typeof webhooks.get>) => ({
  body: { data: presentWebhook(await requireWebhook(ctx, id)) },
})
