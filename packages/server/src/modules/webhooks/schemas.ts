import { isDeepStrictEqual } from 'node:util'
import type { WebhookFilter } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'
import type { DomainEvent } from '../../kernel/events.ts'
import { nameNow, rewriteFilter, type SchemaChange } from '../filters/index.ts'
import { listFiltered, lockWebhook, updateWebhook } from './store.ts'

type Author = {
  readonly workspaceId: string
  readonly now: number
  readonly emit: (events: readonly DomainEvent[]) => Promise<void>
}

/** Lets the filters of webhooks follow the names of fields, in the transaction that puts a schema change in force. */
export async function adaptWebhooks(tx: Tx, { workspaceId, now, emit }: Author, change: SchemaChange): Promise<void> {
  for (const { id, filter } of await listFiltered(tx, workspaceId)) {
    if (filter === null || isDeepStrictEqual(adapted(change, filter), filter)) continue
    // Another change of the webhook may have come first.
    const webhook = await lockWebhook(tx, workspaceId, id)
    if (webhook === undefined || webhook.filter === null) continue
    await updateWebhook(tx, {
      workspace_id: workspaceId,
      id,
      filter: adapted(change, webhook.filter),
      updated_at: Math.max(now, webhook.updated_at),
    })
    await emit([{ type: 'webhook.updated', object: 'webhook', recordId: id, payload: {} }])
  }
}

function adapted(change: SchemaChange, filter: WebhookFilter): WebhookFilter {
  const object = change.before.get(filter.object ?? '')
  if (object === undefined) return filter
  const { changed, where } = filter
  return {
    ...filter,
    ...(changed && {
      changed: changed.map((name) => {
        const field = object.fields.get(name)
        return field === undefined ? name : nameNow(change, object, field)
      }),
    }),
    ...(where && { where: rewriteFilter(change, object, where) }),
  }
}
