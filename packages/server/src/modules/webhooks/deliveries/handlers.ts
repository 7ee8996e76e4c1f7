import { webhooks, webhookStatsMax, webhookDeliverySortColumns, type Input, type Output } from '@kontor/contract'
import { chainOf } from '../../../kernel/actor.ts'
import { isId } from '../../../kernel/ids.ts'
import type { WorkspaceReadContext, WriteContext } from '../../../kernel/implement.ts'
import { resource, presenterOf } from '../../../kernel/resource.ts'
import { growingPage } from '../../../kernel/short-page.ts'
import { requireChangeable, requireScopes, requireWebhook } from '../find.ts'
import { standingOf } from '../../identity/acting/index.ts'
import type { WebhookRow } from '../store.ts'
import { contentsOf, hidden, testType, type DeliveryContent } from './contents.ts'
import { queueAgain, queueDeliveries } from './queue.ts'
import { statsOf } from './stats.ts'
import {
  deliveriesIn,
  findDelivery,
  listAttempts,
  listFailedSince,
  listLastEnded,
  type DeliveryRow,
  type AttemptRow,
} from './store.ts'
import { isoTime, isoTimeOrNull } from '../../../kernel/clock.ts'
import { sortedColumns } from '../../../kernel/requested-order.ts'

type DeliveryResource = Output<typeof webhooks.resend>['data']
type DeliveryDetail = Output<typeof webhooks.getDelivery>['data']

const present = presenterOf(webhooks.resend.response.shape.data)

const presentDelivery = (row: DeliveryRow): DeliveryResource =>
  present(row, {
    event: { id: row.event_id, type: row.event_type, object: row.object, record_id: row.record_id },
    status: row.state,
    next_attempt_at: isoTimeOrNull(row.due_at),
  })

/** A delivery with its attempts. Withheld values are neither in its request nor in the echo of a receiver. */
const presentDetail = (row: DeliveryRow, content: DeliveryContent, attempts: readonly AttemptRow[]): DeliveryDetail =>
  resource('webhook-delivery', row.id, {
    ...presentDelivery(row).attributes,
    request: { method: 'POST', body: 'body' in content ? content.body : null },
    log: attempts.map(({ number, at, duration_ms, request_headers, response, reason, detail }) => ({
      number,
      at: isoTime(at),
      duration_ms,
      error: reason === null ? null : { reason, message: detail ?? '' },
      request: { headers: { ...request_headers } },
      response: presentAnswer(response, content),
    })),
  })

function presentAnswer(response: AttemptRow['response'], content: DeliveryContent) {
  if (response === null) return null
  return { ...response, headers: { ...response.headers }, body: 'body' in content ? response.body : null }
}

/** Deliveries that one call recovers: one transaction. */
const recoveredMax = 10_000

const sorting = {
  columns: sortedColumns(webhookDeliverySortColumns),
  otherwise: { column: 'created_at', descending: true },
} as const

export async function listPage(
  ctx: WorkspaceReadContext<'unknown_field' | 'cursor_mismatch'>,
  input: Input<typeof webhooks.listDeliveries>,
) {
  const { id, filter } = input
  const { workspace_id } = await requireWebhook(ctx, id, 'deliveries:read')
  const read = deliveriesIn({ workspace_id, webhook_id: id, status: filter?.status, type: filter?.type })
  const { rows, ...envelope } = await growingPage(ctx, webhooks.listDeliveries, input, { ...sorting, read })
  return { body: { data: rows.map(presentDelivery), ...envelope } }
}

async function requireDelivery(ctx: WorkspaceReadContext, webhookId: string, id: string): Promise<DeliveryRow> {
  const key = { workspace_id: ctx.workspace.workspaceId, webhook_id: webhookId, id }
  const row = isId(id) ? await findDelivery(ctx.tx, key) : undefined
  if (row === undefined) throw ctx.fail('not_found', { detail: 'There is no delivery with this id.' })
  return row
}

export async function get(
  ctx: WorkspaceReadContext<'forbidden'>,
  { id, delivery }: Input<typeof webhooks.getDelivery>,
) {
  const webhook = await requireWebhook(ctx, id, 'deliveries:read')
  requireScopes(ctx, webhook, 'deliveries:read')
  const row = await requireDelivery(ctx, id, delivery)
  return {
    body: {
      data: presentDetail(
        row,
        await contentNow(ctx, webhook, row),
        await listAttempts(ctx.tx, row.workspace_id, row.id),
      ),
    },
  }
}

/** Returns the present contents of a delivery: the owner of its webhook may see less than when it was sent. */
async function contentNow(
  ctx: WorkspaceReadContext,
  { actor }: WebhookRow,
  row: DeliveryRow,
): Promise<DeliveryContent> {
  const { workspace } = ctx
  const standing = await standingOf(ctx.tx, { workspaceId: workspace.workspaceId, now: ctx.now }, actor)
  if ('stopped' in standing) return hidden
  const owner = { ...ctx, actor, workspace: { ...workspace, role: standing.role } }
  return (await contentsOf(owner, [row])).get(row.id) ?? hidden
}

export async function stats(ctx: WorkspaceReadContext, { id }: Input<typeof webhooks.stats>) {
  const { workspace_id } = await requireWebhook(ctx, id, 'deliveries:read')
  const ended = await listLastEnded(ctx.tx, { workspace_id, webhook_id: id }, webhookStatsMax)
  return { body: { data: resource('webhook-stats', id, statsOf(ended)) } }
}

/** Nothing waits for the network in a transaction: the request is made right after it. */
export async function test(ctx: WriteContext, { id }: Input<typeof webhooks.test>) {
  const webhook = await requireChangeable(ctx, id)
  const deliveryId = ctx.newId()
  const eventId = ctx.newId()
  await queueDeliveries(
    ctx.tx,
    webhook,
    [
      {
        id: deliveryId,
        event_id: eventId,
        event_type: testType,
        object: null,
        record_id: null,
        sequence: 0,
        caused_by: chainOf(ctx.actor) ?? null,
      },
    ],
    ctx.clockNow,
  )
  return { body: { data: presentDelivery(await requireDelivery(ctx, id, deliveryId)) } }
}

export async function resend(ctx: WriteContext, { id, delivery }: Input<typeof webhooks.resend>) {
  const webhook = await requireChangeable(ctx, id, 'deliveries:write')
  const row = await requireDelivery(ctx, id, delivery)
  const renewed = await queueAgain(ctx.tx, webhook, [row], again(ctx))
  return { body: { data: presentDelivery({ ...row, ...renewed }) } }
}

/** A delivery that a workflow has sent again goes on its chain. */
const again = ({ clockNow: now, actor }: WriteContext) => ({ now, chain: chainOf(actor) })

export async function recover(ctx: WriteContext, { id, body }: Input<typeof webhooks.recover>) {
  const webhook = await requireChangeable(ctx, id, 'deliveries:write')
  const key = { workspace_id: webhook.workspace_id, webhook_id: id }
  const rows = await listFailedSince(ctx.tx, key, Date.parse(body.since), recoveredMax)
  await queueAgain(ctx.tx, webhook, rows, again(ctx))
  return { body: { meta: { deliveries: rows.length } } }
}
