import { afterAll, describe, expect, test } from 'vitest'
import { failure } from '../../kernel/errors.ts'
import { memberOf } from '../../lib/guards.ts'
import { OutboundFailure } from '../../lib/outbound/failure.ts'
import { Pool } from '../../pool/index.ts'
import { CodeRunner } from '../sandbox/index.ts'
import type { BlockContext } from '../plugins/index.ts'
import { blockChecks } from './testing/block-checks.ts'
import { answeredRecord, contextOf, StandIn, triedAt, type Answers } from './testing/stand-in.ts'
import { executeCode } from './execute-code.ts'

const pool = new Pool()
const code = new CodeRunner(pool)
afterAll(() => pool.close())

type Sent = { method: string; url: string; headers: object; body?: string; answerBytesMax?: number }
const requests: Sent[] = []
const outbound = {
  async send(request: Sent) {
    requests.push(request)
    const characters = Number(/\/long\?(\d+)$/.exec(request.url)?.[1] ?? 0)
    const { answerBytesMax: most = 65_536 } = request
    if (characters > 0)
      return { status: 200, headers: {}, body: 'x'.repeat(Math.min(characters, most)), isCut: characters > most }
    if (request.url.endsWith('/away')) throw new OutboundFailure('connection', 'The connection failed.')
    return { status: 201, headers: { 'content-type': 'application/json' }, body: '{"sent":true}', isCut: false }
  },
}
const block = executeCode({ code, outbound, chain: () => ({}) })

const deal = answeredRecord('deal', 'deal-1', { amount: 5 })
const meta = { created: 2, updated: 0, unchanged: 0 }
const answers: Answers = {
  'resources.list': () => ({
    data: [deal],
    included: [],
    meta: { limit: 50, offset: 0 },
    links: { next: null, prev: null },
  }),
  'records.get': () => ({ data: deal, included: [], meta: {} }),
  'records.update': () => ({ data: deal }),
  'records.createMany': () => ({ data: [deal, deal], meta }),
}

/** Runs the body of a handler. */
async function run(body: string, changes: Partial<BlockContext> = {}, api = new StandIn(answers), input?: unknown) {
  const text = `export async function handler(input, { client, _, workflowContext }) { ${body} }`
  const outcome = await block.run(contextOf(api.call, changes), { code: text, ...(input !== undefined && { input }) })
  return outcome.state === 'done' ? outcome.output : outcome
}

/** Returns the number of characters that a program reads of a long response. */
const lengthOf = (characters: number) =>
  run(`return (await (await fetch('https://example.com/long?${characters}')).text()).length`)

const everything = `export async function handler(input: { n: number }, { client }: any) {
  const found = await client.resources.list({ type: 'deal', filter: { amount: 5 }, page: { limit: 10 } })
  const one = await client.records.get('deal', found.data[0].id)
  await client.records.update('deal', one.data.id, { amount: input.n })
  const made = await client.records.createBulk('deal', [{ name: 'One' }, { type: 'deal', attributes: { name: 'Two' } }])
  return { amount: one.data.attributes.amount, made: made.data.length }
}`
const output = { amount: 5, made: 2 }

describe('what every block promises', () => {
  const example = { input: { code: everything, input: { n: 7 } }, answers, output, rehearsal: output }
  test.each(blockChecks(block, example))('%s', (_title, check) => check())
})

test('calls the API as the person for whom the run acts', async () => {
  const api = new StandIn(answers)
  await block.run(contextOf(api.call), { code: everything, input: { n: 7 } })
  expect(api.calls.map(({ name, input }) => [name, input])).toEqual([
    ['resources.list', { workspace: 'acme', object: 'deal', filter: { amount: 5 }, page: { limit: 10 } }],
    ['records.get', { workspace: 'acme', object: 'deal', id: 'deal-1' }],
    [
      'records.update',
      { workspace: 'acme', object: 'deal', id: 'deal-1', body: { data: { type: 'deal', attributes: { amount: 7 } } } },
    ],
    [
      'records.createMany',
      {
        workspace: 'acme',
        object: 'deal',
        body: {
          data: [
            { type: 'deal', attributes: { name: 'One' } },
            { type: 'deal', attributes: { name: 'Two' } },
          ],
        },
      },
    ],
  ])
})

test('acts twice where the program means it, and once where the step is repeated', async () => {
  const api = new StandIn(answers)
  const body = `await client.records.createBulk('deal', [{}]); await client.records.createBulk('deal', [{}])`
  await run(body, {}, api)
  expect(api.effects).toBe(2)
  await run(body, {}, api)
  expect(api.effects).toBe(2)
  await run(body, { idempotencyKey: 'run-1:block-2' }, api)
  expect(api.effects).toBe(4)
})

test('knows the trigger, the blocks before it, and its input', async () => {
  const scope = {
    trigger: { state: { event: { object: { data: { stage: 'Won' } } } } },
    find: { state: { output: { records: [1, 2] } } },
  }
  const body = `return [input.a, workflowContext.trigger.event.object.data.stage,
    workflowContext.blocks['find'].result.records, Object.keys(workflowContext.blocks)]`
  expect(await run(body, { scope }, undefined, { a: 1 })).toEqual([1, 'Won', [1, 2], ['find']])
})

test('has lodash', async () => {
  expect(await run(`return _.chunk(_.range(5), 2)`)).toEqual([[0, 1], [2, 3], [4]])
})

test('sees a clock that stands still, and numbers that are the same in each attempt', async () => {
  const body = `return [Date.now(), new Date().toISOString(), new Date(0).getHours(), Math.random(), Math.random()]`
  const first = await run(body)
  expect(first).toEqual([triedAt, '2026-06-15T12:00:00.000Z', 0, expect.any(Number), expect.any(Number)])
  expect(await run(body)).toEqual(first)
  expect(await run(body, { idempotencyKey: 'run-2:block-1' })).not.toEqual(first)
})

test('keeps what the program writes to its console', async () => {
  const lines: string[] = []
  const body = `const loop = {}; loop.loop = loop; console.log('a', 1, { b: [2] }, loop, undefined)
    console.warn(new TypeError('no')); console.error(null)`
  await run(body, { log: (line) => lines.push(line) })
  expect(lines).toEqual(['a 1 {"b":[2]} [object Object] undefined', 'warn: TypeError: no', 'error: null'])
})

test('sends requests through the guarded client', async () => {
  requests.length = 0
  const body = `const init = { method: 'post', headers: { 'X-A': 'b' }, body: 'c' }
    const answer = await fetch('https://example.com/a', init)
    return [answer.ok, answer.status, answer.headers.get('Content-Type'), await answer.json(), await answer.text()]`
  expect(await run(body)).toEqual([true, 201, 'application/json', { sent: true }, '{"sent":true}'])
  await run(body)
  expect(requests[0]).toMatchObject({
    method: 'POST',
    url: 'https://example.com/a',
    headers: { 'x-a': 'b' },
    body: 'c',
  })
  expect(memberOf(requests[0]?.headers, 'idempotency-key')).toEqual(expect.any(String))
  expect(requests[1]).toEqual(requests[0])
})

test('reads an answer as a whole, up to what a step may leave, and fails on one that is longer', async () => {
  expect([await lengthOf(70_000), await lengthOf(1_048_576)]).toEqual([70_000, 1_048_576])
  await expect(lengthOf(1_048_577)).rejects.toMatchObject({ code: 'output_too_large' })
})

test('sends only what reads in a test run', async () => {
  requests.length = 0
  const lines: string[] = []
  const dry = {
    run: { id: 'run-1', workflowId: 'workflow-1', isDryRun: true },
    log: (line: string) => lines.push(line),
  }
  await run(`await fetch('https://example.com/a'); await fetch('https://example.com/b', { method: 'DELETE' })`, dry)
  expect(requests).toMatchObject([{ method: 'GET' }])
  expect(lines).toEqual(['A test run does not send DELETE https://example.com/b'])
})

test('tells the program why a call failed, and goes on where it catches that', async () => {
  const api = new StandIn({
    'records.get': () => {
      throw failure('not_found', 'No such deal.')
    },
  })
  const body = `try { await client.records.get('deal', 'x') }
    catch (error) { return [error.code, error.status, error.message] }`
  expect(await run(body, {}, api)).toEqual(['not_found', 404, 'No such deal.'])
})

test.each([
  [`await client.records.get('deal')`, 'invalid_input'],
  [`await client.resources.list({ type: 'deal', page: { limit: 5000 } })`, 'invalid_input'],
  [`await fetch('https://example.com/away')`, 'connection'],
  [`const fine = client.records.get('deal', '1'); throw new Error('mine')`, 'code_failed'],
  [`throw 'a text'`, 'code_failed'],
  [`return 1n`, 'code_failed'],
  [`return 'x'.repeat(1100000)`, 'output_too_large'],
  [`let deep = {}; for (let i = 0; i < 1000; i++) deep = { deep }; return deep`, 'invalid_output'],
  [`return 'a\\0b'`, 'invalid_output'],
  [`return '\\uD800'`, 'invalid_output'],
  [`return JSON.parse('{"__proto__":1}')`, 'invalid_output'],
  [`throw new Error('a\\0b\\uD800')`, 'code_failed'],
])('%s fails with %s', async (body, failed) => {
  await expect(run(body)).rejects.toMatchObject({ code: failed })
})

test('says where in the code it failed', async () => {
  const input = { code: 'export const handler = () => {\n  const deal: any = null\n  return deal.amount\n}' }
  await expect(block.run(contextOf(new StandIn({}).call), input)).rejects.toThrow(
    "TypeError: cannot read property 'amount' of null (line 3, column 14)",
  )
})

test('does not hand an accident of the server to the program', async () => {
  const accident = new Error('the database is away')
  const api = new StandIn({
    'records.get': () => {
      throw accident
    },
  })
  await expect(run(`try { await client.records.get('deal', '1') } catch { return 'fine' }`, {}, api)).rejects.toBe(
    accident,
  )
})
