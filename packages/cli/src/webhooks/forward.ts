import { Webhook } from 'standardwebhooks'
import { webhookBody, type EventResource } from '@kontor/contract'

/** As long as the server waits for a receiver. */
const timeoutMs = 15_000

/** The result of a forwarded request. */
export type Forwarded = { readonly said: string; readonly tookMs: number }

/** Sends an event to a local program, signed as the server signs it. */
export async function forward(url: string, secret: string, event: EventResource): Promise<Forwarded> {
  const body = JSON.stringify(webhookBody(event))
  const at = new Date()
  const headers = {
    'content-type': 'application/json',
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(event.id, at, body),
  }
  const startedMs = performance.now()
  const said = await fetch(url, {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  }).then(
    ({ status }) => String(status),
    (error: unknown) => `no response: ${reasonOf(error)}`,
  )
  return { said, tookMs: Math.round(performance.now() - startedMs) }
}

function reasonOf(error: unknown): string {
  const { cause, message } = error instanceof Error ? error : { cause: undefined, message: String(error) }
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}
