import { scopes, type DeliveryScope } from '@kontor/contract'
import { actorId, actorUserId, type Actor } from '../../kernel/actor.ts'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import { holdsDeliveries, narrowingOf } from '../../kernel/authorise.ts'
import { findWebhook, lockWebhook, type WebhookRow, type WebhookView } from './store.ts'
import { isWithin } from '../identity/api-keys/index.ts'

/** The webhooks that a caller may see and change: their own, as an admin all of them. */
export const viewOf = ({ actor, workspace }: WorkspaceReadContext): WebhookView => ({
  workspaceId: workspace.workspaceId,
  userId: actorUserId(actor),
  createdBy: actorId(actor),
  seesAll: workspace.role === 'admin',
})

const isVisible = ({ userId, createdBy, seesAll }: WebhookView, row: WebhookRow): boolean =>
  seesAll || (userId === null ? row.owner_id === null && row.created_by === createdBy : row.owner_id === userId)

/**
 * A key of the workspace that an admin gave the deliveries of a webhook by name need not have made it. A personal key
 * is held to what its person may see.
 */
const isGiven = ({ actor }: WorkspaceReadContext, { id }: WebhookRow, given: DeliveryScope | undefined): boolean =>
  actor.kind === 'workspace-key' && given !== undefined && holdsDeliveries(actor, given, id)

function requireRow(ctx: WorkspaceReadContext, row: WebhookRow | undefined, given?: DeliveryScope): WebhookRow {
  if (row !== undefined && (isVisible(viewOf(ctx), row) || isGiven(ctx, row, given))) return row
  throw ctx.fail('not_found', { detail: 'There is no webhook with this id.' })
}

/** Returns whether the caller sees a webhook. */
export async function seesWebhook(ctx: WorkspaceReadContext, id: string): Promise<boolean> {
  const row = await findWebhook(ctx.tx, ctx.workspace.workspaceId, id)
  return row !== undefined && isVisible(viewOf(ctx), row)
}

/**
 * A webhook that the caller may see; another person's answers like one that does not exist. For its deliveries, the
 * scope by which they may have been given by name.
 */
export const requireWebhook = async (
  ctx: WorkspaceReadContext,
  id: string,
  given?: DeliveryScope,
): Promise<WebhookRow> =>
  requireRow(ctx, isId(id) ? await findWebhook(ctx.tx, ctx.workspace.workspaceId, id) : undefined, given)

/** The same, locked, for a change that takes no more than the caller's credential gives. */
export async function requireChangeable(ctx: WriteContext, id: string, given?: DeliveryScope): Promise<WebhookRow> {
  const row = requireRow(ctx, isId(id) ? await lockWebhook(ctx.tx, ctx.workspace.workspaceId, id) : undefined, given)
  requireScopes(ctx, row, given)
  return row
}

/**
 * A webhook sends what the credential that made it may see: one that may see less neither directs nor reads it, unless
 * it was given just this.
 */
export function requireScopes(
  ctx: WorkspaceReadContext<'forbidden'>,
  { id, actor }: WebhookRow,
  given?: DeliveryScope,
): void {
  if (maySeeWhatIsSent(ctx.actor, actor) || (given !== undefined && holdsDeliveries(ctx.actor, given, id))) return
  throw ctx.fail('forbidden', {
    detail: 'This webhook sends data that your credential may not see.',
    meta: { granted: ctx.actor.scopes },
  })
}

/** Scopes that decide on what is sent: those to read, but for those that every webhook has to do with. */
const decides = (scope: string): boolean => /^[a-z]+:read\b/.test(scope) && !/^(webhooks|events):/.test(scope)

/**
 * Returns whether a credential may see all that a webhook sends by the credential that made it. One that may see less
 * neither reads what was sent nor directs it elsewhere.
 */
const maySeeWhatIsSent = (caller: Actor, maker: Actor): boolean => {
  const granted = narrowingOf(caller)
  return (
    granted === undefined || (narrowingOf(maker) ?? scopes).filter(decides).every((scope) => isWithin(scope, granted))
  )
}
