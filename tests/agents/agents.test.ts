import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { agentsOf, agentsPath, program } from '../harness/agents.ts'
import { startApp } from '../harness/app.ts'
import { logOf } from '../harness/events.ts'
import type { Json } from '../harness/http.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { recordsOf, recordsPath, unknownId } from '../harness/records.ts'

const app = await startApp()
const { api, userIds } = app
const { create, begin, run, ended, carryOut, until } = agentsOf(app)
const { end, since } = logOf(app)
const { create: createRecord } = recordsOf(app)

const nothing = program('return null')

const pointers = ({ body }: Json): Json => body.errors?.map(({ source }: Json) => source?.pointer)

describe('an agent', () => {
  test('is made, changed and deleted by its owner', async () => {
    const made = await create({ name: 'Count', instructions: 'Count.', code: nothing, scopes: ['records:read'] })
    expect(made).toMatchObject({
      type: 'agent',
      attributes: {
        name: 'Count',
        owner_id: userIds.member,
        instructions: 'Count.',
        code: nothing,
        enabled: true,
        scopes: ['records:read'],
        budgets: { tokens: 200_000, calls: 100, minutes: 10 },
        model: null,
        version: 1,
      },
    })
    const one = `${agentsPath}/${made.id}`
    const changed = await api.patch(one, { as: 'member', body: { budgets: { calls: 3 }, scopes: ['lists:read'] } })
    expect(changed.body.data.attributes).toMatchObject({
      budgets: { tokens: 200_000, calls: 3, minutes: 10 },
      scopes: ['lists:read'],
      instructions: 'Count.',
      code: nothing,
    })
    expect((await api.get(`${agentsPath}?filter[owner_id]=${userIds.member}&search=coun`)).body.data).toEqual([
      changed.body.data,
    ])
    expect((await api.get(`/workspaces/acme/workflows/${made.id}`)).body.data.attributes.type).toBe('agent')
    expect((await api.delete(one, { as: 'member' })).status).toBe(202)
    expect((await api.get(one)).status).toBe(404)
  })

  test.for<[name: string, attributes: Json, pointer: string]>([
    ['a scope that there is not', { scopes: ['records:fly'] }, '/scopes/0'],
    ['a scope that makes what goes on acting', { scopes: ['records:read', 'workflows:write'] }, '/scopes/1'],
    ['another owner', { owner_id: unknownId }, '/owner_id'],
    ['nothing to do', { enabled: true }, '/instructions'],
    ['a language model that the server lacks', { enabled: true, instructions: 'Count.' }, '/enabled'],
    ['a budget of nothing', { budgets: { calls: 0 } }, '/budgets/calls'],
    ['a budget that there is not', { budgets: { euros: 1 } }, '/budgets/euros'],
  ])('is not made with %s', async ([, attributes, pointer]) => {
    const answer = await api.post(agentsPath, { as: 'member', body: { name: 'Agent', ...attributes } })
    expect([answer.status, pointers(answer)]).toEqual([422, [pointer]])
  })

  test('is given no scope that its maker lacks', async () => {
    const { key } = await createKey(api.post, 'member', { scopes: ['agents:write', 'records:read:person'] })
    const as = { authorization: `api-key ${key}` }
    const make = (scopes: string[]) => api.post(agentsPath, { as, body: { name: 'Agent', scopes } })
    expect((await make(['records:read'])).status).toBe(403)
    expect((await make(['comments:write'])).status).toBe(403)
    const { status, body } = await make(['records:read:person'])
    expect(status).toBe(201)
    const wider = { as: 'member', body: { scopes: ['records:read'] } } as const
    expect((await api.patch(`${agentsPath}/${body.data.id}`, wider)).status).toBe(200)
    // The narrow key may no longer say what an agent does that has more scopes than the key.
    expect((await api.patch(`${agentsPath}/${body.data.id}`, { as, body: { code: nothing } })).status).toBe(403)
  })

  test('is changed by no one else; an admin may disable it and take it over', async () => {
    const { id } = await create({ code: nothing })
    const one = `${agentsPath}/${id}`
    expect((await api.patch(one, { as: 'admin', body: { code: program('return 2') } })).status).toBe(403)
    expect((await api.patch(one, { as: 'admin', body: { scopes: ['records:read'] } })).status).toBe(403)
    expect((await api.patch(one, { as: 'admin', body: { enabled: false } })).status).toBe(200)
    expect((await api.patch(one, { as: 'admin', body: { enabled: true } })).status).toBe(403)
    const taken = await api.patch(one, { as: 'admin', body: { owner_id: userIds.admin, enabled: true } })
    expect([taken.status, taken.body.data.attributes.owner_id]).toEqual([200, userIds.admin])
    for (const body of [{ name: 'Mine' }, { owner_id: userIds.member }])
      expect((await api.patch(one, { as: 'member', body })).status).toBe(403)
  })

  test('is no workflow that is changed as such', async () => {
    const { id } = await create({ code: nothing })
    const workflow = `/workspaces/acme/workflows/${id}`
    const refused = await Promise.all([
      api.patch(workflow, { as: 'member', body: { trigger: { plugin_id: 'on:manual:execution' }, blocks: {} } }),
      api.delete(workflow, { as: 'member' }),
      api.post(`${workflow}/versions/1/restore`, { as: 'member' }),
      api.post(`${workflow}/runs`, { as: 'member', body: {} }),
      api.post('/webhooks/workflows/acme/' + id, { as: 'anonymous', body: {} }),
    ])
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 404])
    const made = await api.post('/workspaces/acme/workflows', { body: { name: 'Agent', type: 'agent' } })
    expect(made.status).toBe(422)
  })
})

describe('a run of code', () => {
  test('reads and writes as the agent, and what it wrote is marked', async () => {
    const person = await createRecord('person', { name: { first_name: 'Grace', last_name: 'Hopper' } })
    const { id } = await create({
      scopes: ['records:read', 'records:write'],
      code: program(`
        const { _id, entity } = workflowContext.trigger.event.object
        const { data } = await client.records.get(entity, _id)
        const made = await client.records.createBulk('task', [{ title: 'Call ' + data.attributes.name.first_name }])
        await client.records.update('person', _id, { job_title: input.title })
        return made.data[0].id`),
    })
    const before = await end()
    const data = { title: 'Admiral' }
    const { attributes } = await carryOut(id, { object: 'person', record_id: person.id, data })
    expect(attributes).toMatchObject({ status: 'success', error: null, workflow_id: id })
    const [{ output }] = attributes.steps
    const task = (await api.get(`${recordsPath('task')}/${output}`, { as: 'member' })).body.data
    expect(task.attributes).toMatchObject({ title: 'Call Grace', _created_by: id })
    const feed = await api.get(`/workspaces/acme/objects/person/records/${person.id}/activities`, { as: 'member' })
    expect(feed.body.data[0].attributes.data[0]).toMatchObject({
      type: 'svc:update',
      actor: { _id: id, entity: 'agent', source_id: id },
    })
    const told = await since(before)
    expect(told.find(({ type }) => type === 'record.created').actor).toEqual({
      _id: id,
      entity: 'agent',
      on_behalf_of: { _id: app.userIds.member, entity: 'user' },
    })
  })

  test('does nothing that its scopes do not name, although its owner may', async () => {
    const task = await createRecord('task', { title: 'Stay' })
    const { id } = await create({
      scopes: ['records:read'],
      code: program(`await client.records.update('task', '${task.id}', { title: 'Gone' })`),
    })
    const { attributes } = await carryOut(id)
    expect(attributes).toMatchObject({ status: 'failed', error: { code: 'insufficient_scope' } })
    const none = await create({ code: program(`await client.records.get('task', '${task.id}')`) })
    expect((await carryOut(none.id)).attributes.error.code).toBe('insufficient_scope')
  })

  test('makes no more calls than its budget says', async () => {
    const { id } = await create({
      scopes: ['records:read'],
      budgets: { calls: 2 },
      code: program(`
        for (let call = 0; call < 5; call++) await client.resources.list({ type: 'task' }).catch(() => null)
        return 'done'`),
    })
    expect((await carryOut(id)).attributes).toMatchObject({ status: 'failed', error: { code: 'budget_calls' } })
  })

  test('makes no more calls in all its attempts than its budget says', async () => {
    let asked = 0
    const server = createServer((request, response) => {
      if (asked++ % 2 === 0) request.socket.destroy()
      else response.end('Here.')
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const code = program(`
      await client.resources.list({ type: 'task' })
      return (await fetch('http://127.0.0.1:${(server.address() as AddressInfo).port}/')).text()`)
    const outcome = async (most: number): Promise<Json> => {
      const { id } = await create({ scopes: ['records:read'], budgets: { calls: most }, code })
      const { id: runId } = await begin(id)
      await until(async () => (await run(id, runId)).attributes.status === 'retrying')
      await api.post(`/workspaces/acme/workflow-runs/${runId}/resume`)
      return (await ended(id, runId)).attributes
    }
    expect(await outcome(4)).toMatchObject({ status: 'success', steps: [{ attempts: 2, output: 'Here.' }] })
    expect(await outcome(3)).toMatchObject({ status: 'failed', error: { code: 'budget_calls' } })
    server.close()
  })

  test('is for its owner and admins', async () => {
    const { id } = await create({ code: nothing }, 'admin')
    const { id: runId } = await begin(id, {}, 'admin')
    for (const path of [`${agentsPath}/${id}/runs`, `${agentsPath}/${id}/runs/${runId}`])
      expect((await api.get(path, { as: 'member' })).status).toBe(403)
    expect((await api.post(`${agentsPath}/${id}/runs`, { as: 'member', body: {} })).status).toBe(403)
    const other = await create({ code: nothing })
    expect((await api.get(`${agentsPath}/${other.id}/runs/${runId}`)).status).toBe(404)
    expect((await ended(id, runId)).attributes.status).toBe('success')
  })

  test('is not begun where its agent is disabled', async () => {
    const off = await create({ code: nothing })
    expect((await api.patch(`${agentsPath}/${off.id}`, { as: 'member', body: { enabled: false } })).status).toBe(200)
    expect((await api.post(`${agentsPath}/${off.id}/runs`, { as: 'member', body: {} })).status).toBe(403)
  })
})

test('the address of an agent begins a run with what is sent, once for each id of its sender', async () => {
  const { id } = await create({ code: program('return input.body.question') })
  const address = `/webhooks/agents/acme/${id}`
  const send = (body: Json, headers = {}) => api.post(address, { as: 'anonymous', body, headers })
  for (let times = 0; times < 3; times++)
    expect((await send({ question: 'Who?' }, { 'webhook-id': 'msg_1' })).status).toBe(200)
  const { body } = await api.get(`${agentsPath}/${id}/runs`, { as: 'member' })
  expect(body.data).toHaveLength(1)
  const { attributes } = await ended(id, body.data[0].id)
  expect(attributes.steps[0].output).toBe('Who?')
  await api.patch(`${agentsPath}/${id}`, { as: 'member', body: { enabled: false } })
  const { id: workflow } = (await api.post('/workspaces/acme/workflows', { body: { name: 'Other' } })).body.data
  const refused = [
    send({}),
    ...['nothing', unknownId, workflow].map((one) =>
      api.post(`/webhooks/agents/acme/${one}`, { as: 'anonymous', body: {} }),
    ),
  ]
  expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([404, 404, 404, 404])
})

/** Makes an agent, and answers where its address is read. */
const makeAddressed = async (as: Caller = 'member') =>
  `${agentsPath}/${(await create({ code: nothing }, as)).id}/address`

const pathIn = ({ body }: Json): string => body.data.attributes.url.slice(app.baseUrl.length)
const readAt = async (path: string, as: Caller = 'member') => pathIn(await api.get(path, { as }))
const rotateAt = async (path: string, as: Caller = 'member') => pathIn(await api.post(`${path}/rotate`, { as }))
const sendTo = async (address: string) => (await api.post(address, { as: 'anonymous', body: {} })).status

describe('the address of an agent', () => {
  test('ends in its id until it is replaced, and then in what no one else can make', async () => {
    const path = await makeAddressed()
    const id = path.split('/').at(-2) ?? ''
    const first = await readAt(path)
    expect([first, await sendTo(first)]).toEqual([`/webhooks/agents/acme/${id}`, 200])
    const second = await rotateAt(path)
    expect(second).not.toContain(id)
    expect(await readAt(path, 'admin')).toBe(second)
    expect([await sendTo(first), await sendTo(second)]).toEqual([404, 200])
    const third = await rotateAt(path, 'admin')
    expect([await sendTo(first), await sendTo(second), await sendTo(third)]).toEqual([404, 404, 200])
    expect((await api.get(`${agentsPath}/${id}`)).body.data.attributes.version).toBe(1)
  })

  test('is for its owner and admins', async () => {
    const path = await makeAddressed('admin')
    for (const refused of [api.get(path, { as: 'member' }), api.post(`${path}/rotate`, { as: 'member' })])
      expect((await refused).status).toBe(403)
    const asWorkflow = path.replace('/agents/', '/workflows/')
    expect((await api.get(asWorkflow)).status).toBe(403)
    expect((await api.post(`${asWorkflow}/rotate`)).status).toBe(403)
  })
})
