import { createHmac } from 'node:crypto'
import { newSecret } from '../../../kernel/ids.ts'

const prefix = 'whsec_'

/** The length that Standard Webhooks recommends; it allows 24 to 64. */
const secretBytes = 32

/** A new secret of a webhook: `whsec_` and base64, as Standard Webhooks spells it. */
export const newWebhookSecret = (): string =>
  `${prefix}${Buffer.from(newSecret(secretBytes), 'base64url').toString('base64')}`

type Signed = { readonly id: string; readonly now: number; readonly body: string }

/**
 * The headers that sign a request by Standard Webhooks 1.0, with a signature for each secret. The time is that of the
 * attempt, so that receivers may refuse old requests.
 */
export function signatureHeaders({ id, now, body }: Signed, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
