import { createHash } from 'node:crypto'
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

test('a number that would change is taken as a text, since its sender cannot spell it otherwise', async () => {
  const { id } = await create({ name: 'Exact', enabled: true, trigger: inbound })
  const body = '{"id":9007199254740993,"list":[1e400,0.1,"9007199254740993"],"n":1e3}'
  expect((await app.api.post(address(id), { as: 'anonymous', body })).status).toBe(200)
  const [begun] = await endedRuns(id)
  expect((await run(begun?.id)).attributes.trigger.state.event.data.body).toEqual({
    id: '9007199254740993',
    list: ['1e400', 0.1, '9007199254740993'],
    n: 1000,
  })
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
  // A request that a sender repeats runs once, at either address.
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

/** The inputs that the runs of a workflow began with, the oldest first. */
async function begunWith(id: string): Promise<Json[]> {
  const found = (await runs(id)).toReversed()
  return Promise.all(found.map(async (one) => (await run(one.id)).attributes.trigger.state.event.data))
}

test('takes any JSON, and no body as an empty object', async () => {
  const { id } = await create({ name: 'Any', enabled: true, trigger: inbound })
  const given = ['[1,2]', '"text"', '5', 'null', 'true', '{"a":{"b":[]}}']
  for (const body of given) expect((await app.api.post(address(id), { as: 'anonymous', body })).status, body).toBe(200)
  expect((await app.api.post(address(id), { as: 'anonymous' })).status).toBe(200)
  const nothing = { 'Content-Type': 'text/plain', 'Content-Length': '0' }
  expect((await app.api.post(address(id), { as: 'anonymous', headers: nothing })).status).toBe(200)
  await app.trpc('anonymous').inboundWebhooks.workflow.mutate({ workspace: 'acme', workflow_id: id, body: undefined })
  expect((await begunWith(id)).map(({ body }) => body)).toEqual([...given.map((text) => JSON.parse(text)), {}, {}, {}])
})

test('takes other types of JSON and forms, of which repeated fields are lists', async () => {
  const { id } = await create({ name: 'Forms', enabled: true, trigger: inbound })
  const post = (type: string, body: string) =>
    app.api.post(address(id), { as: 'anonymous', body, headers: { 'Content-Type': type } })
  const form = 'application/x-www-form-urlencoded'
  const taken = [
    await post('application/cloudevents+json; charset=utf-8', '{"a":1}'),
    await post(form, 'name=Grace+Hopper&tag=a%26b&tag=c&empty=&flag&&sum=1%2B1=2'),
    await post(`${form}; charset=UTF-8`, 'n=%E2%82%AC'),
  ]
  expect(taken.map(({ status }) => status)).toEqual([200, 200, 200])
  const [json, fields, euro] = (await begunWith(id)).map(({ body }) => body)
  expect(json).toEqual({ a: 1 })
  expect(JSON.stringify(fields)).toBe('{"name":"Grace Hopper","tag":["a&b","c"],"empty":"","flag":"","sum":"1+1=2"}')
  expect(euro).toEqual({ n: '\u20ac' })
  const refused = [
    await post('application/json', '{'),
    await post('application/cloudevents+json', '{'),
    await post(form, 'a=%'),
    await post(form, 'a=%ff'),
    await post('text/plain', 'a=b'),
    await post('multipart/form-data; boundary=x', 'a=b'),
    await post('application/json5', '{}'),
  ]
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 415, 415, 415])
  expect(await runs(id)).toHaveLength(3)
})

test('headers are found in any case, by variables and filters, and repeated ones are lists', async () => {
  const { id } = await create({
    name: 'Headers',
    enabled: true,
    ...chain(
      {
        ...inbound,
        filters: [{ field: 'state.event.data.headers.X-Team', condition: { operator: 'Is', value: 'sales' } }],
      },
      {
        key: 'task',
        plugin_id: 'svc:create:record',
        input: { object: 'task', attributes: { title: 'From {{trigger.state.event.data.headers.X-From}}' } },
      },
    ),
  })
  const headers = { 'X-Team': ['support', 'sales'], 'X-From': 'desk' }
  expect((await app.http.send({ method: 'POST', url: `${app.baseUrl}${address(id)}`, headers })).status).toBe(200)
  // The filters of the trigger do not hold: it is taken, and nothing is run.
  await send(id, {}, { 'X-Team': 'support' })
  const [begun, ...others] = await endedRuns(id)
  expect(others).toEqual([])
  const { trigger, steps } = (await run(begun?.id)).attributes
  expect(trigger.state.event.data.headers).toMatchObject({ 'x-team': ['support', 'sales'], 'x-from': 'desk' })
  expect(steps[0].output.record.attributes.title).toBe('From desk')
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

/** Notifications of Microsoft Graph. */
const notified = (...states: string[]) => ({ value: states.map((clientState) => ({ clientState })) })

describe('a workflow that asks for a secret', () => {
  const secret = 'open sesame, please'
  const digest = `sha256:${createHash('sha256').update(secret).digest('hex')}`

  test.for([[secret], [digest]])('takes what presents it: %s', async ([kept]) => {
    const { id } = await create({
      name: 'Secret',
      enabled: true,
      trigger: { ...inbound, input: { secret: kept as string } },
    })
    const answers = [
      await send(id, {}),
      await send(id, {}, { 'X-Webhook-Secret': `${secret}.` }),
      await send(id, {}, { 'X-Webhook-Secret': digest }),
    ]
    for (const { status, body } of answers) {
      expect([status, body.errors[0].code]).toEqual([403, 'forbidden'])
      expect(body.errors[0].source).toEqual({ header: 'X-Webhook-Secret' })
    }
    expect((await send(id, { n: 1 }, { 'X-Webhook-Secret': secret })).status).toBe(200)
    const [data, ...others] = await begunWith(id)
    expect(others).toEqual([])
    expect(data.body).toEqual({ n: 1 })
    expect(data.headers).not.toHaveProperty(['x-webhook-secret'])
  })

  test('takes it where Slack and Microsoft Graph have a place for it', async () => {
    const make = async (handshake: string): Promise<string> =>
      (await create({ name: handshake, enabled: true, trigger: { ...inbound, input: { handshake, secret } } })).id
    const [slack, graph] = [await make('slack'), await make('graph')]
    const sent = [
      await send(slack, { type: 'event_callback', token: secret }),
      await send(slack, { type: 'event_callback', token: 'something else' }),
      await send(graph, notified(secret, secret)),
      await send(graph, notified(secret, 'something else')),
      await send(graph, notified()),
    ]
    expect(sent.map(({ status }) => status)).toEqual([200, 403, 200, 403, 403])
    expect([await runs(slack), await runs(graph)].map((found) => found.length)).toEqual([1, 1])
  })

  test.for([['short'], [''], [5]])('does not take %j for one', async ([given]) => {
    const body = { name: 'Weak', enabled: true, trigger: { ...inbound, input: { secret: given } } }
    const { status, body: told } = await app.api.post(path, { body })
    expect([status, told.errors[0].source.pointer]).toEqual([422, '/trigger/input/secret'])
  })
})

test('the checks of an address by Slack and Microsoft Graph are answered without a run', async () => {
  const make = async (input: Json): Promise<string> =>
    (await create({ name: 'Checked', enabled: true, trigger: { ...inbound, input } })).id
  const check = { type: 'url_verification', token: 'x', challenge: '3eZbrw1aB' }
  const [slack, graph, plain] = [await make({ handshake: 'slack' }), await make({ handshake: 'graph' }), await make({})]
  const answered = await send(slack, check)
  expect([answered.status, answered.body]).toEqual([200, { challenge: '3eZbrw1aB' }])
  const validation = { validationToken: 'Validation: Testing <b> & more' }
  const validate = (id: string) => app.api.post(address(id), { as: 'anonymous', query: validation })
  const validated = await validate(graph)
  expect([validated.status, validated.body]).toEqual([200, validation.validationToken])
  expect(validated.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect((await Promise.all([slack, graph].map((id) => runs(id)))).flat()).toEqual([])
  // Workflows that did not ask for them take them as any message, or say what is missing.
  expect((await send(plain, check)).body).toEqual({})
  expect(await begunWith(plain)).toMatchObject([{ body: check }])
  const refused = await validate(plain)
  expect([refused.status, refused.body.errors[0].source]).toEqual([400, { parameter: 'validationToken' }])
  const { status, body } = await app.api.post(path, {
    body: { name: 'Unknown', enabled: true, trigger: { ...inbound, input: { handshake: 'fax' } } },
  })
  expect([status, body.errors[0].source.pointer]).toEqual([422, '/trigger/input/handshake'])
})

/** Sends what it takes on to the address of another. */
const relay = (name: string, to: string, depth?: number) => ({
  name,
  enabled: true,
  ...chain(inbound, {
    key: 'send',
    plugin_id: 'webhook:send:outbound',
    input: { url: `${app.baseUrl}${to}`, body: '{{trigger.state.event.data.body}}' },
  }),
  ...(depth !== undefined && { run_limits: { max_depth: depth } }),
})
const told = (found: readonly Json[]) =>
  found.map(({ attributes: { status, suppressed_reason: why, depth } }) => [status, why, depth])

describe('workflows that send to each other over HTTP', () => {
  test('come to an end, at the depth of each', async () => {
    const ping = await create({ name: 'Ping', enabled: true, trigger: inbound })
    const pong = await create(relay('Pong', address(ping.id), 3))
    const { name, enabled: _, ...graph } = relay('Ping', address(pong.id), 3)
    expect((await app.api.patch(`${path}/${ping.id}`, { body: { name, ...graph } })).status).toBe(200)
    await send(ping.id, { n: 1 })
    const [sent, sentBack] = [await endedRuns(ping.id, 2), await endedRuns(pong.id, 2)]
    expect(told(sent)).toEqual([
      ['success', null, 1],
      ['success', null, 3],
    ])
    expect(told(sentBack)).toEqual([
      ['success', null, 2],
      ['suppressed', 'max_depth', 4],
    ])
    const { data } = (await run(sentBack[0]?.id)).attributes.trigger.state.event
    expect(data.body).toEqual({ n: 1 })
    expect(Object.keys(data.headers).filter((header) => header.startsWith('kontor'))).toEqual([])
  })

  test('do not trigger themselves', async () => {
    const { id } = await create({ name: 'Self', enabled: true, trigger: inbound })
    const { name: _, enabled: __, ...graph } = relay('Self', address(id))
    await app.api.patch(`${path}/${id}`, { body: graph })
    await send(id, {})
    expect(told(await endedRuns(id, 2))).toEqual([
      ['success', null, 1],
      ['suppressed', 'own_write', 2],
    ])
  })

  test('cannot be made to end by who only says how deep they are', async () => {
    const { id } = await create({ name: 'Claimed', enabled: true, trigger: inbound })
    const token = Buffer.from(`5 ${id}`).toString('base64url')
    await send(id, {}, { 'Kontor-Workflow-Depth': '5', 'Kontor-Workflow-Chain': token })
    expect(told(await endedRuns(id))).toEqual([['success', null, 1]])
  })
})
