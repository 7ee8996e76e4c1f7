import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import type { EventResource } from '@kontor/contract'

type MessageKey = { readonly id: string; readonly timestamp: string }

/** The body of a webhook: an event of the log, or a test of the webhook. */
export type WebhookMessage =
  | (MessageKey & Omit<EventResource['attributes'], 'created_at'>)
  | (MessageKey & { readonly type: 'webhook.test'; readonly data: { readonly webhook_id: string } })

/**
 * Returns the event that a webhook has sent. `body` is the text or the bytes of the request as it came, before anything
 * parsed it; white space and quotes around the secret, as files and environments have them, are ignored. Throws
 * WebhookVerificationError unless a secret of the webhook signed it in the last five minutes.
 */
export const verifyWebhook = (
  body: string | Uint8Array,
  headers: Headers | HeaderFields,
  secret: string | undefined,
): WebhookMessage => new Webhook(secretIn(secret)).verify(textOf(body), fieldsOf(headers)) as WebhookMessage

/** Programs without types pass what a framework has parsed. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  throw new WebhookVerificationError(
    'The signature is of the text of the request: pass the body as it came, before a framework parses it.',
  )
}

const secretShape = /^\s*(["']?)(whsec_[A-Za-z0-9+/]+={0,2})\1\s*$/

function secretIn(text: string | undefined): string {
  if (text === undefined)
    throw new WebhookVerificationError('There is no secret: is the variable that it is read from set?')
  const secret = secretShape.exec(text)?.[2]
  // Its length is all that is told: a secret that is nearly right belongs in no log.
  const found = `what was passed has ${text.length} characters`
  const digits = secret?.replace(/^whsec_/, '').replace(/=+$/, '')
  if (digits === undefined || digits.length % 4 === 1)
    throw new WebhookVerificationError(
      `The secret of a webhook is "whsec_" and base64, as Kontor showed it when the webhook was created; ${found}.`,
    )
  return digits.padEnd(Math.ceil(digits.length / 4) * 4, '=')
}

/** Headers as Node's servers give them. */
type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>

const fieldsOf = (headers: Headers | HeaderFields): Record<string, string> =>
  Object.fromEntries(
    headers instanceof Headers
      ? headers
      : Object.entries(headers).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, [value].flat().join(', ')]],
        ),
  )

export { WebhookVerificationError }
