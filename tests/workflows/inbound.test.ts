import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { unknownId } from '../harness/records.ts'
import { isFull } from '../harness/size.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { create, path, run, endedRuns, runs } = workflowsOf(app)

const inbound = { plugin_id: 'on:svc:automation-webhook' }
const address = (id: string, workspace = 'acme') => `/webhooks/workflows/${workspace}/${id}`
const makeTask = {
  key: 'task',
  plugin_id: 'svc:create:record',
  input: {
    object: 'task',
    attributes: {
      title: '{{trigger.state.event.data.body.title}} by {{trigger.state.event.data.headers.x-from}}',
      due_date: '{{trigger.state.event.data.body.due}}',
    },
  },
}

const send = (id: string, body: Json, headers: Record<string, string> = {}) =>
  app.api.post(address(id), { as: 'anonymous', body, headers })

test('a request begins a run with its body and headers, and is answered at once', async () => {
  const { id } = await create({ name: 'Take', enabled: true, ...chain(inbound, makeTask) })
  const { status, body } = await send(
    id,
    { title: 'Call', due: '2026-12-24' },
    { 'X-From': 'desk', Cookie: 'a=b', 'X-API-Key': 'secret', Authorization: 'Bearer nothing' },
  )
  expect([status, body]).toEqual([200, {}])
  const [begun] = await endedRuns(id)
  const { attributes } = await run(begun?.id)
  expect(attributes).toMatchObject({ status: 'success', depth: 1, record_id: null })
  const { data } = attributes.trigger.state.event
  expect(data.body).toEqual({ title: 'Call', due: '2026-12-24' })
  expect(data.headers).toMatchObject({ 'x-from': 'desk', 'content-type': 'application/json' })
  for (const hidden of ['authorization', 'cookie', 'x-api-key']) expect(data.headers).not.toHaveProperty([hidden])
  expect(attributes.steps[0].output.record.attributes).toMatchObject({ title: 'Call by desk', due_date: '2026-12-24' })
})

test.for([['webhook-id'], ['Idempotency-Key']])('what is sent again under its %s runs once', async ([header]) => {
  const { id } = await create({ name: 'Once', enabled: true, trigger: inbound })
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => send(id, { n: 1 }, { [header as string]: 'msg_1' })),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
  await send(id, { n: 2 }, { [header as string]: 'msg_2' })
  await send(id, { n: 3 })
  expect(await runs(id)).toHaveLength(3)
  await app.advance(25 * 3_600_000)
  await send(id, { n: 4 }, { [header as string]: 'msg_1' })
  expect(await runs(id)).toHaveLength(4)
})

describe('an address that takes nothing', () => {
  test('is told as one that does not exist, whatever the reason', async () => {
    const disabled = await create({ name: 'Off', trigger: inbound })
    const other = await create({ name: 'Other', enabled: true, trigger: { plugin_id: 'on:manual:execution' } })
    const open = await create({ name: 'On', enabled: true, trigger: inbound })
    const refused = await Promise.all(
      [
        address(disabled.id),
        address(other.id),
        address(unknownId),
        address('nothing'),
        address(open.id, 'nowhere'),
        address(open.id, 'globex'),
      ].map((one) => app.api.post(one, { as: 'anonymous', body: {} })),
    )
    const told = refused.map(({ status, body }) => ({ ...body.errors[0], id: '', status }))
    expect(told).toEqual(told.map(() => told[0]))
    expect(told[0]).toMatchObject({ status: 404, code: 'not_found' })
  })

  test('goes on existing while its workflow is enabled', async () => {
    const { id } = await create({ name: 'Switch', enabled: true, trigger: inbound })
    expect((await send(id, {})).status).toBe(200)
    await app.api.patch(`${path}/${id}`, { body: { enabled: false } })
    expect((await send(id, {})).status).toBe(404)
    await app.api.patch(`${path}/${id}`, { body: { enabled: true } })
    expect((await send(id, {})).status).toBe(200)
  })
})

test('an address is replaced by its owner, and nothing is taken at the one before', async () => {
  const { id } = await create({ name: 'Leaked', enabled: true, trigger: inbound })
  const at = async (answer: Promise<Json>) => (await answer).body.data.attributes.url.slice(app.baseUrl.length)
  const post = async (to: string) =>
    (await app.api.post(to, { as: 'anonymous', body: {}, headers: { 'webhook-id': 'msg_1' } })).status
  expect(await at(app.api.get(`${path}/${id}/address`))).toBe(address(id))
  expect(await post(address(id))).toBe(200)
  const replaced = await at(app.api.post(`${path}/${id}/address/rotate`))
  expect([await post(address(id)), await post(replaced)]).toEqual([404, 200])
  // What a sender repeats runs once, whichever address it knows.
  expect(await runs(id)).toHaveLength(1)
  expect(await at(app.api.get(`${path}/${id}/address`))).toBe(replaced)
  for (const refused of [
    app.api.get(`${path}/${id}/address`, { as: 'member' }),
    app.api.post(`${path}/${id}/address/rotate`, { as: 'member' }),
  ])
    expect((await refused).status).toBe(403)
  const again = await at(app.api.post(`${path}/${id}/address/rotate`))
  expect([await post(replaced), await post(again), await post(again.replace('/workflows/', '/agents/'))]).toEqual([
    404, 200, 404,
  ])
})

test('takes any JSON, and nothing else', async () => {
  const { id } = await create({ name: 'Any', enabled: true, trigger: inbound })
  for (const body of ['[1,2]', '"text"', '5', 'null', 'true', '{"a":{"b":[]}}'])
    expect((await app.api.post(address(id), { as: 'anonymous', body })).status, body).toBe(200)
  const bodies = (await runs(id)).toReversed()
  expect(bodies).toHaveLength(6)
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  expect((await app.api.post(address(id), { as: 'anonymous', body: 'a=b', headers: form })).status).toBe(415)
  expect((await app.api.post(address(id), { as: 'anonymous', body: '{' })).status).toBe(400)
})

test('an address over tRPC that is no text is refused', async () => {
  const { workflow } = app.trpc('anonymous').inboundWebhooks
  for (const workflow_id of [{ toString: 'x' }, null, [], 5] as Json[])
    await expect(workflow.mutate({ workspace: 'acme', workflow_id, body: {} })).rejects.toMatchObject({
      data: { httpStatus: 400 },
    })
})

test.runIf(isFull())(
  'an address is limited by itself, before its body is read',
  async () => {
    const limited = await create({ name: 'Many', enabled: true, trigger: inbound })
    const free = await create({ name: 'Few', enabled: true, trigger: inbound })
    let refused: Json
    for (let sent = 0; refused === undefined && sent < 1300; sent += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => send(limited.id, {})))
      refused = answers.find(({ status }) => status === 429)
    }
    expect(refused.body.errors[0].code).toBe('rate_limited')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await send(free.id, {})).status).toBe(200)
  },
  60_000,
)

test('programs that send to each other in a circle come to an end', async () => {
  const { id } = await create({ name: 'Loop', enabled: true, trigger: inbound })
  await send(id, {}, { 'Kontor-Workflow-Depth': '4' })
  await send(id, {}, { 'Kontor-Workflow-Depth': '5' })
  const [last, first] = await runs(id)
  expect(first?.attributes).toMatchObject({ depth: 5, suppressed_reason: null })
  expect(last?.attributes).toMatchObject({ status: 'suppressed', suppressed_reason: 'max_depth' })
})
