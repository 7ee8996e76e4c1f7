import { z } from 'zod'
import { derivedId } from '../../kernel/ids.ts'
import { parsedJson, isList, isRecord, isString } from '../../lib/guards.ts'
import type { OutboundClient } from '../../lib/outbound/client.ts'
import { headersFault } from '../../lib/outbound/headers.ts'
import type { RequestSender } from '../sandbox/index.ts'
import { isJsonTemplate, type Syntax } from '../templates/index.ts'
import {
  answerOf,
  sendOutbound,
  block,
  outputBytesMax,
  StepFailure,
  type Block,
  type BlockContext,
} from '../plugins/index.ts'

export type WebhookSender = RequestSender & {
  readonly outbound: Pick<OutboundClient, 'faultOf'>
  /** The headers that sign a body with the secret of a workflow (Standard Webhooks 1.0). */
  readonly sign: (
    workflow: { readonly workspaceId: string; readonly workflowId: string },
    signed: { readonly id: string; readonly now: number; readonly body: string },
  ) => Promise<Readonly<Record<string, string>>>
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** As much as the API itself takes in one body. */
const bodyCharactersMax = 1 << 20

const headerValue = z
  .string()
  .max(8192)
  .refine((value) => !/[\r\n]/.test(value), 'must be one line')

const input = z.strictObject({
  url: z.string().min(1).max(8192).meta({
    description: 'Values of variables are percent-encoded, except for a variable at its beginning.',
    example: 'https://example.com/hook?deal={{trigger.state.event.object._id}}',
  }),
  method: z.enum(methods).default('POST'),
  headers: z.record(z.string().min(1).max(200), headerValue).default({}),
  body: z
    .unknown()
    .optional()
    .meta({
      description:
        'JSON; a text is sent unchanged: as `application/json` if it is an object or a list of JSON, ' +
        'otherwise as `text/plain`, unless `headers` has a `Content-Type`. Values of variables in a text ' +
        'are escaped for its `Content-Type`: JSON, a form or HTML; without one, as JSON if the text is ' +
        'JSON. GET and DELETE have no body unless you set one.',
    }),
  accept: z.enum(['2xx', 'any']).default('2xx').meta({
    description: 'With `any`, every response is an output; otherwise a status other than 2xx fails the step.',
  }),
})

/** The type that the author of a text says it has. */
function typeOf(headers: unknown): string {
  const given = isRecord(headers) ? Object.entries(headers) : []
  const [, type] = given.find(([name]) => name.toLowerCase() === 'content-type') ?? []
  return isString(type) ? type.toLowerCase() : ''
}

/** The syntax of a text that is sent as it is. */
function syntaxOfBody(headers: unknown, text: string): Syntax {
  const type = typeOf(headers)
  if (/[/+]json\b/.test(type) || (type === '' && isJsonTemplate(text))) return 'json'
  if (type.startsWith('application/x-www-form-urlencoded')) return 'form'
  return /[/+](html|xml)\b/.test(type) ? 'html' : 'text'
}

type Request = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Returns whether a text is an object or a list of JSON; a number or a word by itself may be any text. */
function isJsonDocument(text: string): boolean {
  const parsed = parsedJson(text)
  return isRecord(parsed) || isList(parsed)
}

/** The request, without what signs it. */
function requestOf({ url, method, headers, body }: z.infer<typeof input>, idempotencyKey: string): Request {
  const isText = isString(body)
  const text = body === undefined ? undefined : isText ? body : JSON.stringify(body)
  if (text !== undefined && text.length > bodyCharactersMax)
    throw new StepFailure('invalid_input', `The body can have at most ${bodyCharactersMax} characters.`)
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const isPlain = isText && !isJsonDocument(body)
  const type = { 'content-type': isPlain ? 'text/plain; charset=utf-8' : 'application/json' }
  return {
    method,
    url,
    headers: { ...(text !== undefined && type), ...lower, 'idempotency-key': idempotencyKey },
    ...(text !== undefined && { body: text }),
  }
}

/** Returns the faults of a URL that no value of its variables removes; none if a variable is its host. */
function literalUrlFaults(outbound: WebhookSender['outbound'], url: string) {
  const literal = (url.split('{{', 1)[0] ?? '').trim()
  const origin = /^[^:/?#]+:\/\/[^/?#]*[/?#]/.exec(literal)?.[0]
  const known = url.includes('{{') ? origin : literal
  const fault = known === undefined ? undefined : outbound.faultOf(known)
  return fault === undefined ? [] : [{ path: ['url'], detail: fault.message }]
}

/** Headers that no request can have, whatever the values of variables are. */
const literalHeaderFaults = (headers: unknown) =>
  Object.entries(isRecord(headers) ? headers : {}).flatMap(([name, value]) => {
    const literal = isString(value) && !value.includes('{{') ? value : ''
    const fault = headersFault({ [name]: literal })
    return fault === undefined ? [] : [{ path: ['headers', name], detail: fault }]
  })

const would = z.object({
  method: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string().optional(),
})

export const sendWebhook = ({ outbound, chain, sign }: WebhookSender): Block => {
  const signed = async (
    { workspace, run, idempotencyKey, now, actor }: BlockContext,
    request: Request,
  ): Promise<Request> => {
    // The same in each attempt, so that a receiver can tell a repetition.
    const id = derivedId('webhook', workspace.id, idempotencyKey)
    const workflow = { workspaceId: workspace.id, workflowId: run.workflowId }
    const signature = await sign(workflow, { id, now, body: request.body ?? '' })
    return { ...request, headers: { ...request.headers, ...chain(actor), ...signature } }
  }
  return block({
    id: 'webhook:send:outbound',
    title: 'Send a webhook',
    description:
      'Sends an HTTP request, signed with the secret of the workflow according to Standard Webhooks. It ' +
      'is sent at least once; a repeat has the same `webhook-id` and `Idempotency-Key`. A response other ' +
      'than 2xx fails the step unless `accept` is `any`; 408, 425, 429, 5xx and missing responses are ' +
      'retried.',
    types: ['workflow'],
    input,
    syntaxesOf: ({ headers, body }) => ({
      url: 'url',
      ...(isString(body) && { body: syntaxOfBody(headers, body) }),
    }),
    output: z.object({
      status: z.int().nullable().meta({ description: 'null in a test run.' }),
      headers: z
        .record(z.string(), z.string())
        .meta({ description: 'Headers of the response, by their names in lower case.' }),
      body: z.unknown().meta({
        description: 'The body as JSON if possible, otherwise as text; a response of more than 1 MiB fails the step.',
      }),
      dry_run: z.literal(true).optional(),
      would: would.optional().meta({ description: 'In a test run: what would be sent, and signed.' }),
    }),
    literalFaults: ({ url, headers }) => [
      ...(isString(url) ? literalUrlFaults(outbound, url) : []),
      ...literalHeaderFaults(headers),
    ],
    async run(context, given) {
      const request = requestOf(given, context.idempotencyKey)
      const fault = outbound.faultOf(request.url)
      if (fault !== undefined) throw new StepFailure(fault.reason, fault.message)
      if (context.run.isDryRun) {
        const nothing = { status: null, headers: {}, body: null }
        return { state: 'done', output: { ...nothing, dry_run: true as const, would: request } }
      }
      const sent = { ...(await signed(context, request)), answerBytesMax: outputBytesMax }
      const answer = await sendOutbound(outbound, sent, context, given.accept)
      if (answer.isCut) throw new StepFailure('output_too_large', `The response has more than ${outputBytesMax} bytes.`)
      return { state: 'done', output: answerOf(answer) }
    },
  })
}
