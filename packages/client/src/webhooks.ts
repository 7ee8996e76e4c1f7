import { Webhook } from 'standardwebhooks'
import type { EventResource } from '@kontor/contract'

type Named = { readonly id: string; readonly timestamp: string }

/** What a webhook sends: an event of the log, or a test of the webhook. */
export type WebhookMessage =
  | (Named & Omit<EventResource['attributes'], 'created_at'>)
  | (Named & { readonly type: 'webhook.test'; readonly data: { readonly webhook_id: string } })

/**
 * The event that a webhook has sent. `body` is the text of the request as it came, before anything parsed it. Throws
 * WebhookVerificationError unless a secret of the webhook signed it in the last five minutes.
 */
export const verifyWebhook = (body: string, headers: Headers | HeaderFields, secret: string): WebhookMessage =>
  new Webhook(secret).verify(body, fieldsOf(headers)) as WebhookMessage

/** Headers as Node's servers give them. */
type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>

const fieldsOf = (headers: Headers | HeaderFields): Record<string, string> =>
  Object.fromEntries(
    headers instanceof Headers
      ? headers
      : Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )

export { WebhookVerificationError } from 'standardwebhooks'
