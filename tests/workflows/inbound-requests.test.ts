import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { create, run, endedRuns, runs } = workflowsOf(app)

const inbound = { plugin_id: 'on:svc:automation-webhook' }
const address = (id: string) => `/webhooks/workflows/acme/${id}`
const send = (id: string, body: Json) => app.api.post(address(id), { as: 'anonymous', body })

/** The inputs that the runs of a workflow began with, the oldest first. */
async function begunWith(id: string): Promise<Json[]> {
  const found = (await runs(id)).toReversed()
  return Promise.all(found.map(async (one) => (await run(one.id)).attributes.trigger.state.event.data))
}

test('reads JSON that is sent as a form, as curl does by default', async () => {
  const { id } = await create({ name: 'Curl', enabled: true, trigger: inbound })
  const post = (body: string) =>
    app.api.post(address(id), {
      as: 'anonymous',
      body,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    })
  const sent = [
    '{"n": 1, "text": "a=b&c"}',
    '[{"id": 9007199254740993}]',
    '%7B%22n%22%3A%201%7D',
    '%7B%22n%22%3A%202%7D=',
    '{"share": "100%", "sum": "1+1"}',
    '[0]=a&[1]=b',
    '{x}=1',
  ]
  for (const body of sent) expect((await post(body)).status, body).toBe(200)
  for (const cut of ['{"n": 1', '%7B%22n%22%3A1', '[{"n": 1}'])
    expect((await post(cut)).body.errors, cut).toMatchObject([{ status: '400', code: 'malformed_json' }])
  expect((await begunWith(id)).map(({ body }) => body)).toEqual([
    { n: 1, text: 'a=b&c' },
    [{ id: '9007199254740993' }],
    { n: 1 },
    { n: 2 },
    { share: '100%', sum: '1+1' },
    { '[0]': 'a', '[1]': 'b' },
    { '{x}': '1' },
  ])
})

test('query parameters are accepted, and available as `query`', async () => {
  const { id } = await create({
    name: 'Query',
    enabled: true,
    ...chain(inbound, {
      key: 'task',
      plugin_id: 'svc:create:record',
      input: { object: 'task', attributes: { title: 'From {{trigger.state.event.data.query.source}}' } },
    }),
  })
  const { status } = await app.api.post(`${address(id)}?source=the+desk&tag=a&tag=b&__proto__=x`, {
    as: 'anonymous',
    body: {},
  })
  expect(status).toBe(200)
  const [begun] = await endedRuns(id)
  const { trigger, steps } = (await run(begun?.id)).attributes
  expect(Object.entries(trigger.state.event.data.query)).toEqual([
    ['source', 'the desk'],
    ['tag', ['a', 'b']],
    ['__proto__', 'x'],
  ])
  expect(steps[0].output.record.attributes.title).toBe('From the desk')
})

test('a condition that names a large body very often is false, and blocks no one', async () => {
  const filters = Array.from({ length: 20 }, () => ({
    field: 'trigger.state.event.data.body.short',
    condition: { operator: 'Does not contain', value: '{{trigger.state.event.data.body.long}}'.repeat(200) },
  }))
  const task = { key: 'task', plugin_id: 'svc:create:record', input: { object: 'task', attributes: { title: 'No' } } }
  const { id } = await create({ name: 'Often', enabled: true, ...chain(inbound, { ...task, filters }) })
  expect((await send(id, { short: 'y', long: 'Äx'.repeat(200_000) })).status).toBe(200)
  const [begun] = await endedRuns(id)
  const { steps } = (await run(begun?.id)).attributes
  expect(steps).toMatchObject([{ status: 'skipped' }])
  expect(new Set(steps[0].unresolved)).toContain('trigger.state.event.data.body.long')
})

const make = async (input: Json): Promise<string> =>
  (await create({ name: 'Checked', enabled: true, trigger: { ...inbound, input } })).id

const verify = (token: string) => `hub.verify_token=${encodeURIComponent(token)}`

test('GET and HEAD answer the check of Meta, and are 405 where there is none', async () => {
  const secret = 'open sesame, please'
  const [meta, plain] = [await make({ handshake: 'meta', secret }), await make({})]
  const check = (id: string, token: string, method = 'GET') =>
    app.http.send({
      method,
      url: `${app.baseUrl}${address(id)}?hub.mode=subscribe&hub.challenge=1158201444&${verify(token)}`,
    })
  const answered = await check(meta, secret)
  expect([answered.status, answered.body]).toEqual([200, '1158201444'])
  expect(answered.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect((await check(meta, secret, 'HEAD')).status).toBe(200)
  expect((await check(meta, 'something else')).status).toBe(403)
  const refused = await check(plain, secret)
  expect([refused.status, refused.body.errors[0].code, refused.headers['allow']]).toEqual([
    405,
    'method_not_allowed',
    'POST, OPTIONS',
  ])
  expect((await app.http.send({ method: 'GET', url: `${app.baseUrl}${address(meta)}` })).status).toBe(405)
  expect((await send(meta, { object: 'page' })).status).toBe(200)
  expect([await runs(meta), await runs(plain)].map((found) => found.length)).toEqual([1, 0])
})
