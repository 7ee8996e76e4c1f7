import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { Pool } from '../../pool/index.ts'
import { blockChecks } from './testing/block-checks.ts'
import { contextOf, StandIn } from './testing/stand-in.ts'
import { aiGenerate } from './ai-generate.ts'

let received: { url: string | undefined; headers: IncomingHttpHeaders; body: unknown }[] = []
let reply: (answer: ServerResponse) => void
async function receive(request: IncomingMessage, answer: ServerResponse): Promise<void> {
  received.push({ url: request.url, headers: request.headers, body: JSON.parse(await text(request)) })
  reply(answer)
}
const endpoint = createServer((request, answer) => void receive(request, answer))
await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
const baseUrl = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1`
afterAll(() => {
  endpoint.closeAllConnections()
  endpoint.close()
})

const saying = (content: string | null) => (answer: ServerResponse) =>
  answer.writeHead(200, { 'content-type': 'application/json' }).end(
    JSON.stringify({
      id: 'chatcmpl-1',
      model: 'small-2026',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
    }),
  )
beforeEach(() => {
  received = []
  reply = saying('Won.')
})

const pool = new Pool()
afterAll(() => pool.close())
const block = aiGenerate({ baseUrl, apiKey: 'secret-key', model: 'small' }, pool)
const input = { prompt: 'Won or lost?', system: 'One word.', max_tokens: 5, temperature: 0 }
const request = {
  model: 'small',
  messages: [
    { role: 'system', content: 'One word.' },
    { role: 'user', content: 'Won or lost?' },
  ],
  max_tokens: 5,
  temperature: 0,
}
const output = {
  text: 'Won.',
  json: null,
  model: 'small-2026',
  finish_reason: 'stop',
  usage: { input_tokens: 12, output_tokens: 3 },
}
const run = (given: object = input, changes = {}) => block.run(contextOf(new StandIn({}).call, changes), given)

describe('what every block promises', () => {
  const nothing = { text: null, json: null, model: null, finish_reason: null, usage: null }
  test.each(blockChecks(block, { input, output, rehearsal: { ...nothing, dry_run: true, would: request } }))(
    '%s',
    (_title, check) => check(),
  )
})

test('asks the endpoint of the installation, with its key', async () => {
  await run()
  expect(received).toMatchObject([
    { url: '/v1/chat/completions', headers: { authorization: 'Bearer secret-key' }, body: request },
  ])
})

test('asks nothing in a test run', async () => {
  await run(input, { run: { id: 'run-1', workflowId: 'workflow-1', isDryRun: true } })
  expect(received).toEqual([])
})

describe('with a schema', () => {
  const schema = {
    type: 'object',
    properties: { won: { type: 'boolean' } },
    required: ['won'],
    additionalProperties: false,
  }
  const asked = { prompt: 'Won or lost?', model: 'large', output_schema: schema }

  test.each(['{"won":true}', '```json\n{"won":true}\n```', ' {"won": true}\n'])('takes %j', async (content) => {
    reply = saying(content)
    expect(await run(asked)).toMatchObject({ output: { json: { won: true } } })
    expect(received[0]?.body).toMatchObject({
      model: 'large',
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema } },
    })
  })

  test.each(['Won.', '{"won":"yes"}', '{"won":true,"more":1}', '', '```\n'])(
    'refuses %j, and asks again',
    async (content) => {
      reply = saying(content)
      await expect(run(asked)).rejects.toMatchObject({ code: 'ai_invalid_output', isRetryable: true })
    },
  )

  test('fails where its patterns take too long, and asks no more', async () => {
    reply = saying(JSON.stringify({ code: `${'a'.repeat(64)}b` }))
    const properties = { code: { type: 'string', pattern: '^(a+)+$' } }
    const failed = await run({ ...asked, output_schema: { type: 'object', properties } }).catch(
      (error: unknown) => error,
    )
    expect(failed).toMatchObject({ code: 'output_schema_too_expensive', isRetryable: false })
    expect(received).toHaveLength(1)
  })

  test('refuses a schema that is none', async () => {
    await expect(run({ ...asked, output_schema: { type: 'nothing' } })).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('refuses a schema of more than 100,000 characters, which would take the server long to read', async () => {
    const description = 'x'.repeat(100_000)
    await expect(run({ ...asked, output_schema: { type: 'object', description } })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('100,000 characters'),
    })
  })
})

test.each([
  [429, { 'retry-after': '7' }, true, 7000],
  [503, {}, true, undefined],
  [400, {}, false, undefined],
  [401, {}, false, undefined],
])('fails after %d', async (status, headers, isRetryable, retryAfterMs) => {
  reply = (answer) => answer.writeHead(status, headers).end('{"error":{"message":"Not now."}}')
  await expect(run()).rejects.toMatchObject({
    code: `http_${status}`,
    message: `The endpoint of the language model responded with ${status}. Not now.`,
    isRetryable,
    retryAfterMs,
  })
})

test.each([
  ['no JSON', (answer: ServerResponse) => answer.writeHead(200).end('<html>'), 'ai_invalid_answer'],
  ['other JSON', (answer: ServerResponse) => answer.writeHead(200).end('{"choices":[]}'), 'ai_invalid_answer'],
  [
    'a body without an end',
    (answer: ServerResponse) => answer.writeHead(200).end('x'.repeat(2 ** 21)),
    'ai_invalid_answer',
  ],
  ['a redirect', (answer: ServerResponse) => answer.writeHead(302, { location: '/v2' }).end(), 'ai_unreachable'],
  ['nothing', (answer: ServerResponse) => answer.destroy(), 'ai_unreachable'],
])('asks again after %s', async (_what, answers, code) => {
  reply = (answer) => void answers(answer)
  await expect(run()).rejects.toMatchObject({ code, isRetryable: true })
})

test('stops waiting for the model when it is told to', async () => {
  reply = () => undefined
  const controller = new AbortController()
  const waiting = run(input, { signal: controller.signal })
  controller.abort(new Error('the server stops'))
  await expect(waiting).rejects.toThrow('the server stops')
})

test('is not available without settings, and fails', async () => {
  const none = aiGenerate(undefined, pool)
  expect(none.isAvailable).toBe(false)
  const context = contextOf(new StandIn({}).call)
  await expect(none.run(context, input)).rejects.toMatchObject({ code: 'ai_not_configured', isRetryable: false })
  const nameless = aiGenerate({ baseUrl, apiKey: undefined, model: undefined }, pool)
  await expect(nameless.run(context, input)).rejects.toMatchObject({ code: 'ai_no_model' })
})
