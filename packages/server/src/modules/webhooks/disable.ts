import { isActingStop, type WorkingKind } from '../identity/acting/index.ts'
import { listAdminIds } from '../identity/users/index.ts'
import { stopFollowing } from '../events/index.ts'
import type { Tx } from '../../db/tx.ts'
import { unnarrowed } from '../../kernel/actor.ts'
import type { DomainEvent } from '../../kernel/events.ts'
import { giveUpPending } from './deliveries/store.ts'
import {
  listFollowing,
  lockWebhooks,
  updateWebhook,
  isFollowing,
  lockWebhook,
  type DisabledReason,
  type WebhookRow,
} from './store.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Runtime } from '../../kernel/invoke/runtime.ts'

/** The name of the cursors by which webhooks follow the log. */
export const consumerName = 'webhooks'

/** The services that publish events of the webhooks' own. */
export type EventServices = {
  readonly writeEvents: Runtime['writeEvents']
}

/** Ends following the log in a workspace if no webhook has deliveries any more. */
export async function endFollowing(tx: Tx, workspaceId: string): Promise<void> {
  await lockWebhooks(tx, workspaceId)
  if ((await listFollowing(tx, workspaceId)).length === 0) await stopFollowing(tx, workspaceId, consumerName)
}

/** Disables a webhook that is locked, and gives up what it has not sent; returns the columns that changed. */
export async function stopSending(
  tx: Tx,
  { workspace_id, id }: Pick<WebhookRow, 'workspace_id' | 'id'>,
  reason: DisabledReason,
  now: number,
): Promise<Pick<WebhookRow, 'enabled' | 'disabled_reason' | 'disabled_at'>> {
  const change = { enabled: false, disabled_reason: reason, disabled_at: now }
  await updateWebhook(tx, { workspace_id, id, ...change })
  await giveUpPending(tx, { workspace_id, webhook_id: id }, now, 'The webhook was disabled.')
  await endFollowing(tx, workspace_id)
  return change
}

/** Disables a webhook that is locked for a reason of its own, and says so by an event. */
export async function disable(
  tx: Tx,
  services: EventServices,
  webhook: WebhookRow,
  reason: DisabledReason,
  now: number,
): Promise<void> {
  await stopSending(tx, webhook, reason, now)
  const named = isActingStop(reason) ? await listAdminIds(tx, webhook.workspace_id) : []
  await tell(tx, services, webhook, now, [
    { type: 'webhook.disabled', object: 'webhook', recordId: webhook.id, payload: { reason }, named },
  ])
}

/** Tells of what a webhook has come to by itself. */
export const tell = (
  tx: Tx,
  { writeEvents }: EventServices,
  { workspace_id: workspaceId, actor }: WebhookRow,
  now: number,
  events: readonly DomainEvent[],
): Promise<void> => writeEvents(tx, { workspaceId, actor: unnarrowed(actor), silent: false, now }, events)

/** Lists the webhooks that stop when the credential ends that they were made with. */
export const workingWebhooks =
  (services: EventServices): WorkingKind =>
  async (reader, { workspaceId, now }) =>
    (await listFollowing(reader, workspaceId)).map(({ id, actor }) => ({
      actor,
      async stop(tx, reason) {
        const webhook = await lockWebhook(tx, workspaceId, id)
        if (webhook === undefined || !isFollowing(webhook) || !isDeepStrictEqual(webhook.actor, actor)) return
        await disable(tx, services, webhook, reason, now)
      },
    }))
