import { isDeepStrictEqual } from 'node:util'
import type { WorkingKind } from '../identity/acting/index.ts'
import { disable, type EventServices } from './disable.ts'
import { isFollowing, listFollowing, lockWebhook } from './store.ts'

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
