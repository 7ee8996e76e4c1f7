import { createHash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { isString, keysOf } from '../../lib/guards.ts'
import type { Trigger } from './plugin.ts'
import { webhookState } from './trigger-state.ts'
import { senders } from './inbound-senders.ts'

/** Where a sender presents the secret of a workflow, unless it has a place of its own for it. */
export const secretHeader = 'x-webhook-secret'

const digestShape = /^sha256:([0-9a-f]{64})$/

const input = z.strictObject({
  handshake: z
    .enum(keysOf(senders))
    .optional()
    .meta({
      description:
        'The sending service, whose check of the address Kontor responds to without a run: `slack` ' +
        '(`url_verification`), `graph` (Microsoft Graph, `validationToken`) or `meta` (`hub.challenge`, by GET).',
    }),
  secret: z
    .string()
    .min(16)
    .max(200)
    .optional()
    .meta({
      description:
        'The secret that the sender must send: as the header `X-Webhook-Secret`, as `token` of the message ' +
        'with `slack`, as `clientState` of each notification with `graph`, as the verify token of the ' +
        'check with `meta`, whose messages need none. A request without it is rejected with 403. Every ' +
        'member may read the workflow: to keep the secret from them, set `sha256:` and its SHA-256 in ' +
        'hexadecimal.',
    }),
})

export type InboundOptions = z.infer<typeof input>

export const inboundTrigger: Trigger = {
  id: 'on:svc:automation-webhook',
  title: 'Inbound webhook',
  description: 'When another program sends JSON or a form to the address of the workflow.',
  types: ['workflow'],
  places: ['trigger'],
  input,
  state: webhookState,
  events: [],
  matches: () => false,
}

/** Returns the requirements of a trigger on its senders; undefined if it is no inbound webhook. */
export function optionsOf(node: { readonly plugin_id: string; readonly input: unknown }): InboundOptions | undefined {
  return node.plugin_id === inboundTrigger.id ? input.safeParse(node.input).data : undefined
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Tells whether something is the secret, in a time that says nothing of it. */
export const isSecret =
  (secret: string) =>
  (given: unknown): boolean => {
    const [, digest] = digestShape.exec(secret) ?? []
    const wanted = digest === undefined ? digestOf(secret) : Buffer.from(digest, 'hex')
    return isString(given) && timingSafeEqual(digestOf(given), wanted)
  }
