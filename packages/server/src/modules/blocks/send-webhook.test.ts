import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { allowedTargets } from '../../lib/outbound/addresses.ts'
import { OutboundClient } from '../../lib/outbound/client.ts'
import { blockChecks } from './testing/block-checks.ts'
import { contextOf, StandIn } from './testing/stand-in.ts'
import { sendWebhook } from './send-webhook.ts'

type Received = { method: string | undefined; headers: IncomingMessage['headers']; body: string }
let received: Received[] = []
let reply: (answer: ServerResponse) => void
async function receive(request: IncomingMessage, answer: ServerResponse): Promise<void> {
  received.push({ method: request.method, headers: request.headers, body: await text(request) })
  reply(answer)
}
const receiver = createServer((request, answer) => void receive(request, answer))
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`

beforeEach(() => {
  received = []
  reply = (answer) =>
    answer.writeHead(200, { 'content-type': 'application/json; charset=utf-8', date: 'x' }).end('{"ok":true}')
})
afterAll(() => {
  receiver.closeAllConnections()
  receiver.close()
})

const block = sendWebhook({
  outbound: new OutboundClient({ allowed: allowedTargets(['127.0.0.1']), timeoutMs: 300 }),
  chain: ({ kind }) => ({ 'kontor-workflow-chain': kind }),
  sign: async ({ workflowId }, { id, body }) => ({ 'webhook-id': id, 'webhook-signature': `${workflowId} ${body}` }),
})
const { call } = new StandIn({})
const input = { url, headers: { 'X-Team': 'sales' }, body: { deal: 1 } }
const run = (given: object = input, changes = {}) => block.run(contextOf(call, changes), given)

test.each(
  blockChecks(block, {
    input,
    output: {
      status: 200,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        date: 'x',
        connection: 'close',
        'transfer-encoding': 'chunked',
      },
      body: { ok: true },
    },
    rehearsal: {
      status: null,
      headers: {},
      body: null,
      dry_run: true,
      would: {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', 'x-team': 'sales', 'idempotency-key': 'run-1:block-1' },
        body: '{"deal":1}',
      },
    },
  }),
)('%s', (_title, check) => check())

test('signs what it sends, under an id that stays the same in each attempt', async () => {
  await run()
  await run()
  await run(input, { idempotencyKey: 'run-1:block-2' })
  const [first, again, other] = received
  expect(first).toMatchObject({
    method: 'POST',
    body: '{"deal":1}',
    headers: {
      'content-type': 'application/json',
      'x-team': 'sales',
      'idempotency-key': 'run-1:block-1',
      'webhook-signature': 'workflow-1 {"deal":1}',
      'kontor-workflow-chain': 'user',
    },
  })
  expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(other?.headers['webhook-id']).not.toBe(first?.headers['webhook-id'])
})

test('sends a text as it is, and no body where there is none', async () => {
  await run({ url, method: 'PUT', headers: { 'Content-Type': 'text/csv' }, body: 'a,b' })
  await run({ url, method: 'GET' })
  expect(received).toMatchObject([
    { method: 'PUT', body: 'a,b', headers: { 'content-type': 'text/csv' } },
    { method: 'GET', body: '', headers: { 'webhook-signature': 'workflow-1' } },
  ])
  expect(received[1]?.headers).not.toHaveProperty('content-type')
})

test('sends a text that is JSON as JSON, unless it has another type', async () => {
  const plain = 'text/plain; charset=utf-8'
  for (const body of ['{"a": 1}', ' [1]', '5', 'hello', '{"a": ']) await run({ url, body })
  await run({ url, headers: { 'content-type': plain }, body: '{"a": 1}' })
  expect(received.map(({ headers }) => headers['content-type'])).toEqual([
    'application/json',
    'application/json',
    plain,
    plain,
    plain,
    plain,
  ])
})

test('keeps its own headers, whatever the input says', async () => {
  await run({ ...input, headers: { 'Idempotency-Key': 'mine', 'Webhook-Id': 'mine' } })
  expect(received[0]?.headers).toMatchObject({ 'idempotency-key': 'run-1:block-1' })
  expect(received[0]?.headers['webhook-id']).not.toBe('mine')
})

test('sends nothing in a test run', async () => {
  await run(input, { run: { id: 'run-1', workflowId: 'workflow-1', isDryRun: true } })
  expect(received).toEqual([])
})

test.each([
  [{ 'content-type': 'application/problem+json' }, '{"a":1}', { a: 1 }],
  [{ 'content-type': 'application/json' }, '{"a":', '{"a":'],
  [{ 'content-type': 'text/plain' }, '{"a":1}', '{"a":1}'],
  [{ 'content-type': 'application/json' }, `"${'x'.repeat(70_000)}"`, 'x'.repeat(70_000)],
  [{}, '', ''],
])('answers %j with the body', async (headers, sent, body) => {
  reply = (answer) => answer.writeHead(201, headers).end(sent)
  expect(await run()).toMatchObject({ output: { status: 201, body } })
})

test('fails after an answer that no output can hold, and does not try again', async () => {
  reply = (answer) => answer.writeHead(200).end('x'.repeat(1_048_577))
  await expect(run()).rejects.toMatchObject({ code: 'output_too_large', isRetryable: false })
})

test.each([
  [408, true],
  [425, true],
  [429, true],
  [500, true],
  [503, true],
  [400, false],
  [404, false],
  [410, false],
  [302, false],
  [304, false],
])('fails after %d, to be tried again: %s', async (status, isRetryable) => {
  reply = (answer) => answer.writeHead(status, { location: url }).end()
  await expect(run()).rejects.toMatchObject({ code: `http_${status}`, isRetryable, retryAfterMs: undefined })
})

test('waits as long as the receiver asks, at most a day', async () => {
  reply = (answer) => answer.writeHead(429, { 'retry-after': '90' }).end('Slow down.')
  await expect(run()).rejects.toMatchObject({
    retryAfterMs: 90_000,
    message: 'The receiver responded with 429. Slow down.',
  })
  reply = (answer) => answer.writeHead(503, { 'retry-after': '999999' }).end()
  await expect(run()).rejects.toMatchObject({ retryAfterMs: 86_400_000 })
})

test('tries again after no answer, one that is none, and a connection that is cut', async () => {
  reply = () => undefined
  await expect(run()).rejects.toMatchObject({ code: 'timeout', isRetryable: true })
  reply = (answer) => answer.socket?.end('garbage\r\n\r\n')
  await expect(run()).rejects.toMatchObject({ code: 'invalid_answer', isRetryable: true })
  reply = (answer) => answer.destroy()
  await expect(run()).rejects.toMatchObject({ code: 'connection', isRetryable: true })
})

test.each([
  ['http://10.0.0.1/', 'refused_address'],
  ['http://[::1]/', 'refused_address'],
  ['file:///etc/passwd', 'invalid_request'],
  ['nowhere', 'invalid_request'],
])('does not send to %s, not even to try again, and says so in a test run too', async (to, code) => {
  await expect(run({ ...input, url: to })).rejects.toMatchObject({ code, isRetryable: false })
  const dry = { run: { id: 'run-1', workflowId: 'workflow-1', isDryRun: true } }
  await expect(run({ ...input, url: to }, dry)).rejects.toMatchObject({ code })
})

test.each([
  [{ 'x-a': 'b\r\nx-c: d' }, 'invalid_input'],
  [{ 'x-a': 'b\nc' }, 'invalid_input'],
  [{ 'x-a': '\0' }, 'invalid_request'],
  [{ 'x a': 'b' }, 'invalid_request'],
])('refuses the headers %j, which no request can have', async (headers, code) => {
  await expect(run({ ...input, headers })).rejects.toMatchObject({ code, isRetryable: false })
})

test.each([404, 302, 503])('takes %d for an answer where any is accepted', async (status) => {
  reply = (answer) => answer.writeHead(status, { 'content-type': 'application/json' }).end('{"error":1}')
  expect(await run({ ...input, accept: 'any' })).toMatchObject({ output: { status, body: { error: 1 } } })
})

test.each([
  [{}, '{"a": {{x}}}', 'json'],
  [{}, '[{{x}}]', 'json'],
  [{}, 'Dear {{x}}', 'text'],
  [{ 'Content-Type': 'application/problem+json' }, '{{x}}: {{y}}', 'json'],
  [{ 'content-type': 'text/plain' }, '{"a": {{x}}}', 'text'],
  [{ 'content-type': 'application/x-www-form-urlencoded' }, 'a={{x}}', 'form'],
  [{ 'content-type': 'text/html; charset=utf-8' }, '<p>{{x}}</p>', 'html'],
  [{ 'content-type': 'application/soap+xml' }, '<p>{{x}}</p>', 'html'],
])('with %j, values in %s are escaped as in %s', (headers, body, syntax) => {
  expect(block.syntaxesOf?.({ url, headers, body })).toEqual({ url: 'url', body: syntax })
})

test('stops waiting for a receiver when it is told to', async () => {
  reply = () => undefined
  const controller = new AbortController()
  const waiting = run(input, { signal: controller.signal })
  controller.abort(new Error('the server stops'))
  await expect(waiting).rejects.toThrow('the server stops')
})
