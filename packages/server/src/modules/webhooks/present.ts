import type { Output, webhooks } from '@kontor/contract'
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts'
import { resource } from '../../kernel/resource.ts'
import type { WebhookRow } from './store.ts'

type WebhookResource = Output<typeof webhooks.get>['data']
type WebhookWithSecret = Output<typeof webhooks.create>['data']

export const presentWebhook = (row: WebhookRow): WebhookResource =>
  resource('webhook', row.id, {
    _id: row.id,
    url: row.url,
    events: [...row.events],
    filter: row.filter,
    description: row.description,
    enabled: row.enabled,
    ordered: row.ordered,
    fifo: row.fifo,
    disabled_reason: row.disabled_reason,
    disabled_at: isoTimeOrNull(row.disabled_at),
    failing_since: isoTimeOrNull(row.failing_since),
    old_secret_until: isoTimeOrNull(row.old_secret_until),
    owner_id: row.owner_id,
    _created_at: isoTime(row.created_at),
    _created_by: row.created_by,
    _updated_at: isoTime(row.updated_at),
  })

export function presentWithSecret(row: WebhookRow, secret: string): WebhookWithSecret {
  const { attributes, ...rest } = presentWebhook(row)
  return { ...rest, attributes: { ...attributes, secret } }
}
