import { scopes } from '@kontor/contract'
import { describe, expect, test } from 'vitest'
import { agentsOf, agentsPath } from '../harness/agents.ts'
import { startApp } from '../harness/app.ts'
import { commentsPath, paragraph } from '../harness/comments.ts'
import type { Json } from '../harness/http.ts'
import { breaksOff, calls, modelServer, refuses, says } from '../harness/model.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'
import { someOf } from '../harness/size.ts'

const model = await modelServer()
const app = await startApp({ ai: model.ai })
const { api } = app
const { create, begin, run, ended: ending, carryOut, until } = agentsOf(app)
const { create: createRecord } = recordsOf(app)

const instructions = 'Plan calls. Answer in one word.'
const rights = ['records:read', 'records:write', 'comments:read', 'comments:write']
const agent = await create({ instructions, scopes: rights })

const outputs = ({ attributes }: Json): Json[] => attributes.steps.map(({ output }: Json) => output)
const newTask = (title: string) => ({ object: 'task', body: { data: { type: 'task', attributes: { title } } } })
const tasksNamed = async (title: string): Promise<Json[]> =>
  (await api.get(`${resourcesPath('task')}?filter[title]=${encodeURIComponent(title)}`, { as: 'member' })).body.data

describe('a language model', () => {
  test('is told what it shall do and what it may, and does it through the API as the agent', async () => {
    const person = await createRecord('person', { name: { first_name: 'Grace', last_name: 'Hopper' } })
    const comment = { entity: 'person', owner_id: person.id, message: paragraph('Größe: 5 € – planned') }
    model.answer(
      calls(['records_get', { object: 'person', id: person.id }]),
      calls(['records_create', newTask('Call Grace')], ['comments_create', { body: comment }]),
      says({ text: 'Geplant – fertig.' }),
    )
    const ended = await carryOut(agent.id, { object: 'person', record_id: person.id, data: { urgent: true } })
    expect(ended.attributes).toMatchObject({ status: 'success', error: null })
    expect(outputs(ended).map(({ turn, name, is_error }) => [turn, name, is_error])).toEqual([
      ['model', undefined, undefined],
      ['tool', 'records_get', false],
      ['model', undefined, undefined],
      ['tool', 'records_create', false],
      ['tool', 'comments_create', false],
      ['model', undefined, undefined],
    ])
    expect(outputs(ended).at(-1)).toMatchObject({ text: 'Geplant – fertig.', finish_reason: 'stop' })

    const [first, , last] = model.asked
    expect(first).toMatchObject({ authorization: 'Bearer secret', body: { model: 'm-1', stream: true } })
    const [system, user] = first?.body.messages ?? []
    expect(system.content).toContain(instructions)
    expect(JSON.parse(user.content)).toMatchObject({ data: { urgent: true }, record: { _id: person.id } })
    const tools = first?.body.tools.map(({ function: { name } }: Json) => name)
    expect(tools).toEqual(expect.arrayContaining(['records_create', 'comments_create', 'resources_list']))
    for (const foreign of ['records_remove', 'workflows_create', 'apiKeys_create', 'events_stream', 'agents_run'])
      expect(tools).not.toContain(foreign)
    expect(last?.body.messages.map(({ role }: Json) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'tool',
    ])
    expect(last?.body.messages[3].content).toContain('Hopper')

    const [task] = await tasksNamed('Call Grace')
    expect(task.attributes._created_by).toBe(agent.id)
    const feed = await api.get(`/workspaces/acme/objects/person/records/${person.id}/activities`, { as: 'member' })
    const [{ attributes }] = feed.body.data
    expect(attributes.data[0]).toMatchObject({ type: 'comment:create', actor: { _id: agent.id, entity: 'agent' } })
    const [, said] = attributes.data[0].object.diff[0].path
    const other = await app.addMember('member', 'other')
    expect((await api.delete(`${commentsPath}/${said}`, { as: other.as })).status).toBe(403)
    expect((await api.delete(`${commentsPath}/${said}`, { as: 'member', query: { silent: 'true' } })).status).toBe(200)
  })

  test.for<[what: string, name: string, given: Json, told: string]>([
    ['a tool that there is not', 'records_explode', {}, 'no tool'],
    ['a tool of a name that is no text of ours', '__proto__', {}, 'no tool'],
    ['a tool beyond its scopes', 'workflows_create', { body: { name: 'Mine' } }, 'no tool'],
    ['an operation by its own name', 'records.create', {}, 'no tool'],
    ['arguments that are no JSON', 'records_create', '{"object": "task", ', 'not a JSON object'],
    ['arguments that are no object', 'records_create', '[1]', 'not a JSON object'],
    ['arguments that do not fit', 'records_create', { object: 'task', body: { data: 7 } }, 'invalid_body'],
    ['a parameter that there is not', 'resources_list', { object: 'task', sudo: true }, 'unknown_parameter'],
    ['another workspace', 'resources_list', { workspace: 'globex', object: 'nothing' }, 'not_found'],
    ['an object that there is not', 'records_create', { ...newTask('x'), object: '../../globex' }, 'not_found'],
  ])('that asks for %s is told so, and goes on', async ([, name, given, told]) => {
    model.answer(calls([name, given]), says({ text: 'Sorry.' }))
    const ended = await carryOut(agent.id)
    expect(ended.attributes.status).toBe('success')
    const [, tool, last] = outputs(ended)
    expect(tool).toMatchObject({ turn: 'tool', is_error: true, result: expect.stringContaining(told) })
    expect(last.text).toBe('Sorry.')
  })

  test('never reaches another workspace, whatever it asks for', async () => {
    model.answer(calls(['records_create', { ...newTask('Across'), workspace: 'globex' }]))
    expect((await carryOut(agent.id)).attributes.status).toBe('success')
    expect(await tasksNamed('Across')).toHaveLength(1)
  })

  test('does not see what its owner may not see', async () => {
    const hidden = await api.post('/workspaces/acme/objects/meeting/records', {
      body: { data: { type: 'meeting', attributes: { title: 'Secret', start: '2026-01-31T09:30:00.000Z' } } },
    })
    model.answer(calls(['records_get', { object: 'meeting', id: hidden.body.data.id }]))
    expect(outputs(await carryOut(agent.id))[1]).toMatchObject({ is_error: true })
  })

  test('may do no more than its owner may at that moment', async () => {
    const { id: ownerId, as } = await app.addMember('member', 'demoted')
    const { id } = await create({ instructions, scopes: rights }, as)
    model.answer((response, request) => {
      void api
        .patch(`/workspaces/acme/users/${ownerId}`, { body: { role: 'viewer' } })
        .then(() => calls(['records_create', newTask('By a viewer')])(response, request))
    })
    const begun = await begin(id, {}, as)
    // The run is held until somebody who may do more enables the agent.
    await until(async () => (await run(id, begun.id)).attributes.status === 'held')
    expect(await tasksNamed('By a viewer')).toEqual([])
  })

  test('does nothing in a test run', async () => {
    model.answer(calls(['records_create', newTask('Never')], ['comments_create', { body: {} }]))
    const ended = await carryOut(agent.id, { dry_run: true })
    expect(ended.attributes.status).toBe('success')
    expect(await tasksNamed('Never')).toEqual([])
    expect(outputs(ended)[2]).toMatchObject({ is_error: true, result: 'A test run does not execute this call.' })
  })
})

describe('the endpoint of the model', () => {
  const passing: [what: string, answer: ReturnType<typeof refuses>, code: string][] = [
    ['is too busy', refuses(429, { 'retry-after': '1' }), 'http_429'],
    ['is broken', refuses(500), 'http_500'],
    ['breaks off', breaksOff, 'ai_unreachable'],
    ['ends without an end', says({ text: 'I wi', finish: null }), 'ai_invalid_answer'],
    ['says something else', (response) => void response.writeHead(200).end('data: {"choices":7}\n\n'), 'ai_invalid'],
  ]
  test.for(someOf(passing, 1))('that %s is asked again', async ([, answer, code]) => {
    model.answer(answer, says({ text: 'Now.' }))
    const { id } = await begin(agent.id)
    const waiting = await until(async () => {
      const found = await run(agent.id, id)
      return found.attributes.status === 'retrying' && found
    })
    expect(waiting.attributes.steps[0].error.code).toContain(code)
    await api.post(`/workspaces/acme/workflow-runs/${id}/resume`)
    const ended = await until(async () => {
      const found = await run(agent.id, id)
      return found.attributes.ended_at !== null && found
    })
    expect([ended.attributes.status, outputs(ended).at(-1).text]).toEqual(['success', 'Now.'])
  })

  test('that refuses for good fails the run', async () => {
    model.answer(refuses(401))
    expect((await carryOut(agent.id)).attributes).toMatchObject({
      status: 'failed',
      error: { code: 'http_401', detail: expect.stringContaining('not now') },
    })
  })
})

/** Runs an agent with budgets to the end. */
const limited = async (budgets: Json): Promise<Json> => {
  const { id } = await create({ instructions, scopes: rights, budgets })
  return (await carryOut(id)).attributes
}

describe('a budget', () => {
  const readsOn = Array.from({ length: 6 }, () => calls(['resources_list', { object: 'task' }]))

  test('of tokens ends a run before its next step', async () => {
    model.answer(...readsOn)
    const { status, error, steps } = await limited({ tokens: 250 })
    expect([status, error.code, steps.length]).toEqual(['failed', 'budget_tokens', 6])
    expect(model.asked).toHaveLength(3)
    expect(model.asked[2]?.body.max_tokens).toBe(30)
  })

  test('of tokens holds where the endpoint counts none', async () => {
    model.answer(says({ calls: [{ name: 'resources_list', arguments: '{"object":"task"}' }], usage: null }))
    expect((await limited({ tokens: 250 })).error.code).toBe('budget_tokens')
  })

  test('of tokens counts an answer that broke off, and not one that was refused', async () => {
    for (const [first, asked] of [
      [breaksOff, 1],
      [refuses(500), 2],
    ] as const) {
      model.answer(first, says({ text: 'Now.' }))
      const { id } = await create({ instructions, scopes: rights, budgets: { tokens: 250 } })
      const { id: runId } = await begin(id)
      await until(async () => (await run(id, runId)).attributes.status === 'retrying')
      await api.post(`/workspaces/acme/workflow-runs/${runId}/resume`)
      const { attributes } = await ending(id, runId)
      expect([attributes.status, attributes.error?.code]).toEqual(
        asked === 1 ? ['failed', 'budget_tokens'] : ['success', undefined],
      )
      expect(model.asked).toHaveLength(asked)
    }
  })

  test('of calls ends a run before the next call', async () => {
    model.answer(...readsOn)
    const { status, error, steps } = await limited({ calls: 2 })
    expect([status, error.code, error.block_id]).toEqual(['failed', 'budget_calls', 'agent'])
    expect(steps.filter(({ output }: Json) => output?.turn === 'tool')).toHaveLength(2)
  })

  test('of minutes ends a run, waiting included', async () => {
    model.answer(refuses(503), says({ text: 'Too late.' }))
    const { id } = await create({ instructions, scopes: rights, budgets: { minutes: 1 } })
    const { id: runId } = await begin(id)
    await until(async () => (await run(id, runId)).attributes.status === 'retrying')
    await app.advance(61_000)
    const ended = await until(async () => {
      const found = await run(id, runId)
      return found.attributes.ended_at !== null && found
    })
    expect(ended.attributes).toMatchObject({ status: 'failed', error: { code: 'budget_minutes' } })
    expect(model.asked).toHaveLength(1)
  })
})

const toolsIn = (request: Json): string[] => request.tools.map(({ function: { name } }: Json) => name)

describe('tools', () => {
  test('are those that an agent names, and no others', async () => {
    const { id, attributes } = await create({ instructions, scopes: rights, tools: ['records.create', 'records.get'] })
    expect(attributes.tools).toEqual(['records.create', 'records.get'])
    model.answer(calls(['records_create', newTask('Named')], ['comments_create', { body: {} }]))
    const [, done, refused] = outputs(await carryOut(id))
    expect(toolsIn(model.asked[0]?.body).toSorted()).toEqual(['records_create', 'records_get'])
    expect([done.is_error, refused.is_error, refused.result]).toEqual([
      false,
      true,
      'There is no tool "comments_create".',
    ])
    const all = await api.patch(`${agentsPath}/${id}`, { as: 'member', body: { tools: null } })
    expect([all.status, all.body.data.attributes.tools]).toEqual([200, null])
  })

  test.for<[what: string, change: Json, pointer: string]>([
    ['an operation that there is not', { tools: ['records.get', 'records.explode'] }, '/tools/1'],
    ['an operation that is not for agents', { tools: ['apiKeys.create'] }, '/tools/0'],
    ['an operation beyond its scopes', { tools: ['records.get', 'records.remove'] }, '/tools/1'],
    ['no operation at all', { tools: [] }, '/tools'],
    ['more than a model takes', { tools: Array.from({ length: 129 }, () => 'records.get') }, '/tools'],
    ['fewer scopes than its tools take', { scopes: ['comments:read'] }, '/scopes'],
  ])('are refused with %s', async ([, change, pointer]) => {
    const { id } = await create({ instructions, scopes: rights, tools: ['records.get'] })
    const { status, body } = await api.patch(`${agentsPath}/${id}`, { as: 'member', body: change })
    expect([status, body.errors?.[0].source]).toEqual([422, { pointer }])
  })

  test('beyond what a model takes are left out: what is used most comes first, and the step says so', async () => {
    const lasting = ['agents:write', 'agents:run', 'workflows:write', 'campaigns:write', 'webhooks:write']
    const most = scopes.filter((scope) => !lasting.includes(scope))
    const { id } = await create({ instructions, scopes: most }, 'admin')
    model.answer(says({ text: 'Done.' }))
    const { attributes } = await carryOut(id, {}, 'admin')
    const offered = toolsIn(model.asked[0]?.body)
    expect([offered.length, offered[0]?.split('_')[0]]).toEqual([128, 'records'])
    expect(offered).toEqual(expect.arrayContaining(['resources_list', 'relationships_add', 'comments_create']))
    expect(attributes.steps[0].logs).toEqual([
      expect.stringMatching(/is offered 128 tools, but the scopes allow \d+ more/),
    ])
  })
})

test('an agent that is disabled in the middle stops before its next step', async () => {
  const { id } = await create({ instructions, scopes: rights })
  model.answer((response, request) => {
    void api
      .patch(`${agentsPath}/${id}`, { as: 'member', body: { enabled: false } })
      .then(() => calls(['records_create', newTask('Too late')])(response, request))
  })
  expect((await carryOut(id)).attributes).toMatchObject({ status: 'failed', error: { code: 'agent_disabled' } })
  expect(await tasksNamed('Too late')).toEqual([])
})
