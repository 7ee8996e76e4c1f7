import { describe, expect, test } from 'vitest'
import { agentsOf, agentsPath, program } from '../harness/agents.ts'
import { startApp } from '../harness/app.ts'
import { share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { calls, modelServer, says } from '../harness/model.ts'
import type { Caller } from '../harness/people.ts'
import { receiver } from '../harness/receiver.ts'
import { recordsOf, recordsPath, resourcesPath, unknownId } from '../harness/records.ts'
import { isFull } from '../harness/size.ts'

const model = await modelServer()
const app = await startApp({ ai: model.ai })
const { api, userIds } = app
const { create, begin, ended, carryOut, until } = agentsOf(app)
const { create: createRecord } = recordsOf(app)

const scopes = ['records:read', 'records:write', 'records:delete']
const recordOf = (type: string, attributes: Json) => ({ data: { type, attributes } })
const creating = (object: string, attributes: Json): readonly [string, Json] => [
  'records_create',
  { object, body: recordOf(object, attributes) },
]

const isOver = ({ attributes }: Json): boolean => attributes.status === 'suppressed'

const make = (title: string): string => `await client.records.createBulk('task', [{ title: 'Half ${title}' }])`

/** Undoes a run; what was left as it is. */
async function conflictsOf(id: string, runId: string, as: Caller): Promise<Json> {
  const path = `${agentsPath}/${id}/runs/${runId}/undo`
  expect((await api.post(path, { as })).status).toBe(202)
  return until(async () => {
    const { attributes } = (await api.get(path, { as })).body.data
    return attributes.state !== 'running' && attributes.conflicts
  })
}

describe('an agent', () => {
  test('keeps its limits where several change it at once', async () => {
    for (let round = 0; round < 4; round++) {
      const { id } = await create({ code: program('return 1'), scopes })
      const path = `${agentsPath}/${id}`
      const changes = [
        { scopes: ['records:read'] },
        { instructions: 'Count.' },
        { budgets: { calls: 3 } },
        { enabled: false },
        { enabled: true },
      ]
      const answers = await Promise.all(changes.map((body) => api.patch(path, { as: 'member', body })))
      expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200))
      expect((await api.get(path)).body.data.attributes).toMatchObject({
        scopes: ['records:read'],
        instructions: 'Count.',
        budgets: { calls: 3 },
      })
    }
  })

  test('that is taken over does not go on with what its owner before began', async () => {
    let answer: (() => void) | undefined
    model.answer((response, request) => {
      answer = () => calls(creating('task', { title: 'With the rights of another' }))(response, request)
    })
    const { id } = await create({ instructions: 'Do as you are told.', scopes })
    const run = await begin(id)
    await until(async () => model.asked.length === 1)
    const taken = await api.patch(`${agentsPath}/${id}`, { as: 'admin', body: { owner_id: userIds.admin } })
    expect(taken.body.data.attributes).toMatchObject({ owner_id: userIds.admin, version: 2 })
    answer?.()
    expect((await ended(id, run.id)).attributes).toMatchObject({
      status: 'failed',
      error: { code: 'agent_taken_over' },
    })
    expect((await carryOut(id, {}, 'admin')).attributes.status).toBe('success')
  })

  test.runIf(isFull())('that sends to its own address comes to an end', async () => {
    const { id } = await create({ scopes, code: program('return 1') })
    const address = `${app.baseUrl}/webhooks/agents/acme/${id}`
    const headers = `{ 'content-type': 'application/json', 'Kontor-Workflow-Chain': '' }`
    const code = program(`await fetch('${address}', { method: 'POST', body: '{}', headers: ${headers} })`)
    await api.patch(`${agentsPath}/${id}`, { as: 'member', body: { code } })
    await begin(id)
    const runs = async (): Promise<Json[]> => (await api.get(`${agentsPath}/${id}/runs`)).body.data
    const found = await until(async () => {
      const all = await runs()
      return (all.some(isOver) || all.length > 20) && all
    })
    await api.patch(`${agentsPath}/${id}`, { as: 'member', body: { enabled: false } })
    expect(found.filter(isOver)).toHaveLength(1)
  })

  test('whose address was replaced takes nothing at one that was changed or guessed, and says so of none', async () => {
    const rotated = async (): Promise<[id: string, ending: string]> => {
      const { id } = await create({ code: program('return 1') })
      const { data } = (await api.post(`${agentsPath}/${id}/address/rotate`, { as: 'member' })).body
      return [id, data.attributes.url.split('/').at(-1)]
    }
    const [[id, ending], [otherId, otherEnding]] = await Promise.all([rotated(), rotated()])
    const post = (path: string) => api.post(`/webhooks/${path}`, { as: 'anonymous', body: {} })
    expect((await post(`agents/acme/${ending}`)).status).toBe(200)
    const [signature, signed] = [ending.slice(0, 22), Buffer.from(ending, 'base64url').subarray(16).toString()]
    expect(signed).toBe(`${id}/1`)
    const resigned = (content: string) =>
      Buffer.concat([Buffer.from(ending, 'base64url').subarray(0, 16), Buffer.from(content)]).toString('base64url')
    const told = await Promise.all(
      [
        `agents/acme/${unknownId}`,
        `agents/acme/${id}`,
        `agents/acme/${id}.${ending}`,
        `agents/acme/${ending}=`,
        `agents/acme/${signature}`,
        `agents/acme/${Buffer.from(signed).toString('base64url')}`,
        `agents/acme/${resigned(`${id}/2`)}`,
        `agents/acme/${resigned(`${id}/0`)}`,
        `agents/acme/${resigned(`${otherId}/1`)}`,
        `agents/acme/${signature}${otherEnding.slice(22)}`,
        ...Array.from(
          ending,
          (letter, at) => `agents/acme/${ending.slice(0, at)}${letter === 'a' ? 'b' : 'a'}${ending.slice(at + 1)}`,
        ),
        `agents/other/${ending}`,
        `agents/nowhere/${ending}`,
        `workflows/acme/${ending}`,
      ].map(post),
    )
    const answers = told.map(({ status, body }) => ({ ...body.errors[0], id: '', status }))
    expect(answers).toEqual(answers.map(() => answers[0]))
    expect(answers[0]).toMatchObject({ status: 404, code: 'not_found' })
    expect((await api.get(`${agentsPath}/${id}/runs`)).body.data).toHaveLength(1)
    expect((await api.get(`${agentsPath}/${otherId}/runs`)).body.data).toEqual([])
  })

  test('has its tokens counted where the endpoint counts none', async () => {
    const { id } = await create({ instructions: 'Go on.', scopes, budgets: { tokens: 50 } })
    const call = { name: 'records_get', arguments: '{}' }
    model.answer(says({ calls: [call], usage: { prompt_tokens: 0, completion_tokens: 0 } }))
    expect((await carryOut(id)).attributes).toMatchObject({ status: 'failed', error: { code: 'budget_tokens' } })
  })
})

describe('a run of an agent', () => {
  test('is no run of a workflow where these are retried, resumed and cancelled', async () => {
    const { id } = await create({ code: program(`throw new Error('no')`), scopes })
    const run = await carryOut(id)
    const at = `/workspaces/acme/workflow-runs/${run.id}`
    const answers = await Promise.all([
      api.post(`${at}/retry`, { body: { from: 'start' } }),
      api.post(`${at}/resume`),
      api.post(`${at}/cancel`),
      api.post(`/workspaces/acme/workflows/${id}/rotate-secret`, { body: {} }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect((await api.get(at)).status).toBe(200)
  })

  test('that is cancelled in the middle of a step is undone with what the step has yet to write', async () => {
    const hook = await receiver()
    let release: (() => void) | undefined
    hook.answer((response) => {
      release = () => response.writeHead(200).end('{}')
    })
    const { id } = await create({
      scopes,
      code: program(
        [make('early'), `await fetch('${hook.url}', { method: 'POST', body: '{}' })`, make('late')].join('\n'),
      ),
    })
    const run = await begin(id)
    await until(async () => release !== undefined)
    const path = `${agentsPath}/${id}/runs/${run.id}`
    expect((await api.post(`${path}/cancel`, { as: 'member' })).status).toBe(200)
    expect((await api.post(`${path}/undo`, { as: 'member' })).status).toBe(202)
    const made = async () => (await api.get(`${resourcesPath('task')}?filter[title][Starts%20with]=Half`)).body.data
    expect(await made()).toHaveLength(1)
    release?.()
    const undone = await until(async () => {
      const { attributes } = (await api.get(`${path}/undo`)).body.data
      return attributes.state !== 'running' && attributes
    })
    expect(undone).toMatchObject({ state: 'done', events: 2, reverted: 2 })
    expect(await made()).toEqual([])
  })

  test('leaves what it created where another record was merged into it since', async () => {
    const { id } = await create({ instructions: 'Do as you are told.', scopes })
    model.answer(calls(creating('person', { job_title: 'Admiral' })))
    const run = await carryOut(id)
    const made = JSON.parse(run.attributes.steps[1].output.result).data.id
    const other = await createRecord('person', { job_title: 'Admiral' })
    const merge = recordOf('person', { sources: [other.id] })
    expect((await api.post(`${recordsPath('person')}/${made}/merges`, { as: 'member', body: merge })).status).toBe(204)
    const conflicts = await conflictsOf(id, run.id, 'member')
    expect(conflicts).toMatchObject([{ record_id: made, reason: 'changed' }])
    expect((await api.get(`${recordsPath('person')}/${made}`)).status).toBe(200)
  })

  test('says nothing of a record that the person who undoes it may not see by now', async () => {
    const other = await app.addMember('member', 'other')
    const meeting = await createRecord('meeting', { title: 'Plan' })
    const grant = await share(api.post, `meeting/records/${meeting.id}`, other.id, 'edit')
    const { id } = await create({ instructions: 'Do as you are told.', scopes }, other.as)
    const change = (attributes: Json) => ({ object: 'meeting', id: meeting.id, body: recordOf('meeting', attributes) })
    model.answer(calls(['records_update', change({ title: 'Of the agent' })]))
    const run = await carryOut(id, {}, other.as)
    expect(run.attributes.steps[1].output.is_error).toBe(false)
    const path = `${recordsPath('meeting')}/${meeting.id}`
    const { body } = change({ title: 'Secret' })
    expect((await api.patch(path, { as: 'member', body })).status).toBe(200)
    expect((await api.delete(`${path}/access/${grant}`)).status).toBeLessThan(300)
    const detail = 'The record is deleted, or you may not see it.'
    expect(await conflictsOf(id, run.id, other.as)).toMatchObject([{ field: null, reason: 'gone', detail }])
  })
})
