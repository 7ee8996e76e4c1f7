import { actorId, actorUserId } from '../../kernel/actor.ts'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import { maySeeWhatIsSent } from './rules.ts'
import { findWebhook, lockWebhook, type WebhookRow, type WebhookView } from './store.ts'

/** The webhooks that a caller may see and change: their own, as an admin all of them. */
export const viewOf = ({ actor, workspace }: WorkspaceReadContext): WebhookView => ({
  workspaceId: workspace.workspaceId,
  userId: actorUserId(actor),
  createdBy: actorId(actor),
  seesAll: workspace.role === 'admin',
})

const isVisible = ({ userId, createdBy, seesAll }: WebhookView, row: WebhookRow): boolean =>
  seesAll || (userId === null ? row.owner_id === null && row.created_by === createdBy : row.owner_id === userId)

function requireRow(ctx: WorkspaceReadContext, row: WebhookRow | undefined): WebhookRow {
  if (row !== undefined && isVisible(viewOf(ctx), row)) return row
  throw ctx.fail('not_found', { detail: 'There is no webhook with this id.' })
}

/** A webhook that the caller may see; another person's answers like one that does not exist. */
export const requireWebhook = async (ctx: WorkspaceReadContext, id: string): Promise<WebhookRow> =>
  requireRow(ctx, isId(id) ? await findWebhook(ctx.tx, ctx.workspace.workspaceId, id) : undefined)

/** The same, locked, for a change that takes no more than the caller's credential gives. */
export async function requireChangeable(ctx: WriteContext, id: string): Promise<WebhookRow> {
  const row = requireRow(ctx, isId(id) ? await lockWebhook(ctx.tx, ctx.workspace.workspaceId, id) : undefined)
  requireScopes(ctx, row)
  return row
}

/** A webhook sends what the credential that made it may see: one that may see less neither directs nor reads it. */
export function requireScopes(ctx: WorkspaceReadContext<'forbidden'>, { actor }: WebhookRow): void {
  if (maySeeWhatIsSent(ctx.actor, actor)) return
  throw ctx.fail('forbidden', {
    detail: 'This webhook sends more than your credential may see.',
    meta: { granted: ctx.actor.scopes },
  })
}
