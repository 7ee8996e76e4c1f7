import { describe, expect, test } from 'vitest'
import { agentsOf, agentsPath, program } from '../harness/agents.ts'
import { startApp } from '../harness/app.ts'
import { commentsPath, paragraph } from '../harness/comments.ts'
import { logOf } from '../harness/events.ts'
import type { Json } from '../harness/http.ts'
import { calls, modelServer } from '../harness/model.ts'
import type { Caller } from '../harness/people.ts'
import { recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'

const model = await modelServer()
const app = await startApp({ ai: model.ai })
const { api } = app
const { create, begin, carryOut, until } = agentsOf(app)
const { end, since } = logOf(app)
const { create: createRecord } = recordsOf(app)

const scopes = [
  'records:read',
  'records:write',
  'records:delete',
  'comments:read',
  'comments:write',
  'lists:read',
  'lists:write',
]
const agent = await create({ instructions: 'Do as you are told.', scopes })

/** Lets the agent make some calls in one run; the id of the run. */
async function act(...asked: (readonly [name: string, given: Json])[]): Promise<string> {
  model.answer(calls(...asked))
  const ended = await carryOut(agent.id)
  const failed = ended.attributes.steps.filter(({ output }: Json) => output.is_error === true)
  expect([ended.attributes.status, failed]).toEqual(['success', []])
  return ended.id
}

const undoPath = (runId: string): string => `${agentsPath}/${agent.id}/runs/${runId}/undo`
const undo = async (runId: string, as: Caller = 'member'): Promise<Json> => {
  expect((await api.post(undoPath(runId), { as })).status).toBe(202)
  return until(async () => {
    const { attributes } = (await api.get(undoPath(runId), { as })).body.data
    return attributes.state !== 'running' && attributes
  })
}

const read = (object: string, id: string) => api.get(`${recordsPath(object)}/${id}`, { as: 'member' })
const change = (object: string, id: string, attributes: Json) =>
  api.patch(`${recordsPath(object)}/${id}`, { as: 'member', body: { data: { type: object, attributes } } })
const recordOf = (type: string, attributes: Json) => ({ data: { type, attributes } })

const accessOf = (id: string): string => `${recordsPath('person')}/${id}/access`
const grantTo = (grantee: string | null, level: string): Json => ({
  data: {
    type: 'object-record-access',
    attributes: { grantee_type: grantee === null ? 'workspace' : 'user', grantee_id: grantee, access_level: level },
  },
})
const toPeople = (name: string, given: Json): readonly [string, Json] => [name, { object: 'person', ...given }]

describe('a run of an agent', () => {
  test('is undone as one: what it made goes, what it changed and deleted comes back', async () => {
    const person = await createRecord('person', {
      name: { first_name: 'Grace', last_name: 'Hopper' },
      job_title: 'Admiral',
      email_addresses: { items: ['grace@example.com'] },
    })
    const spare = await createRecord('task', { title: 'Spare' })
    const list = await api.post('/workspaces/acme/objects/person/lists', {
      as: 'member',
      body: { title: 'Undone', type: 'static', permission: 'workspace_edit' },
    })
    const ofList = { object: 'person', list: list.body.data.id, body: { data: [{ type: 'person', id: person.id }] } }
    const update = (attributes: Json): readonly [string, Json] => [
      'records_update',
      { object: 'person', id: person.id, body: recordOf('person', attributes) },
    ]
    const runId = await act(
      update({ job_title: 'Captain' }),
      update({ job_title: null, email_addresses: { items: ['other@example.com'] } }),
      [
        'records_createMany',
        { object: 'task', body: { data: [1, 2].map((n) => ({ type: 'task', attributes: { title: `Undo ${n}` } })) } },
      ],
      ['records_remove', { object: 'task', id: spare.id }],
      ['lists_addRecords', ofList],
      ['comments_create', { body: { entity: 'person', owner_id: person.id, message: paragraph('Hello') } }],
    )
    const made = () => api.get(`${resourcesPath('task')}?filter[title][Starts%20with]=Undo`, { as: 'member' })
    expect((await made()).body.data).toHaveLength(2)
    expect(await undo(runId)).toMatchObject({ state: 'done', events: 7, reverted: 7, conflicts: [], conflict_count: 0 })

    expect((await made()).body.data).toEqual([])
    const { attributes } = (await read('person', person.id)).body.data
    expect(attributes).toMatchObject({
      job_title: 'Admiral',
      email_addresses: { items: ['grace@example.com'] },
      _updated_by: app.userIds.member,
    })
    expect((await read('task', spare.id)).status).toBe(200)
    const { object, list: listId } = ofList
    const members = await api.get(`/workspaces/acme/objects/${object}/lists/${listId}/resources`, { as: 'member' })
    expect(members.body.data).toEqual([])

    // A second time does nothing: what has come since stays.
    await change('person', person.id, { job_title: 'Captain' })
    expect(await undo(runId)).toMatchObject({ state: 'done', events: 7 })
    expect((await read('person', person.id)).body.data.attributes.job_title).toBe('Captain')
  })

  test('links are taken away and come back', async () => {
    const [deal, person, other] = [
      await createRecord('deal', { name: 'Undo' }),
      await createRecord('person', {}),
      await createRecord('person', {}),
    ]
    const related = { object: 'person', relationship: 'deals', body: { data: [{ type: 'deal', id: deal.id }] } }
    const linked = async (id: string): Promise<number> =>
      (await api.get(`${recordsPath('person')}/${id}/relationships/deals`, { as: 'member' })).body.data.length
    await api.post(`${recordsPath('person')}/${other.id}/relationships/deals`, { as: 'member', body: related.body })
    const runId = await act(
      ['relationships_add', { ...related, id: person.id }],
      ['relationships_remove', { ...related, id: other.id }],
    )
    expect([await linked(person.id), await linked(other.id)]).toEqual([1, 0])
    expect(await undo(runId)).toMatchObject({ conflicts: [] })
    expect([await linked(person.id), await linked(other.id)]).toEqual([0, 1])
  })

  test('what it shared is shared as before', async () => {
    const bold = await create({ instructions: 'Share.', scopes: ['records:read', 'access:read', 'access:write'] })
    const [one, two, three, other] = [
      await createRecord('person', {}),
      await createRecord('person', {}),
      await createRecord('person', {}),
      await app.addMember('member', 'grantee'),
    ]
    const share = async (id: string, grantee: string | null, level: string): Promise<string> => {
      const { body } = await api.post(accessOf(id), { as: 'member', body: grantTo(grantee, level) })
      return body.data.id
    }
    const levels = async (id: string): Promise<Json> =>
      Object.fromEntries(
        (await api.get(accessOf(id), { as: 'member' })).body.data.map(({ attributes }: Json) => [
          attributes.grantee_id ?? 'workspace',
          attributes.access_level,
        ]),
      )
    await share(one.id, null, 'view')
    const revoked = await share(two.id, other.id, 'edit')
    const before = await Promise.all([one, two, three].map(({ id }) => levels(id)))
    model.answer(
      calls(
        toPeople('access_create', { id: one.id, body: grantTo(other.id, 'view') }),
        toPeople('access_create', { id: one.id, body: grantTo(null, 'edit') }),
        toPeople('access_remove', { id: two.id, grant: revoked }),
        toPeople('access_create', { id: three.id, body: grantTo(other.id, 'view') }),
      ),
    )
    const ended = await carryOut(bold.id)
    expect(await levels(one.id)).toEqual({ [other.id]: 'view', workspace: 'edit' })
    expect(await levels(two.id)).toEqual({})
    await share(three.id, other.id, 'manage')

    const path = `${agentsPath}/${bold.id}/runs/${ended.id}/undo`
    expect((await api.post(path, { as: 'member', query: { silent: 'true' } })).status).toBe(202)
    const undone = await until(async () => {
      const { attributes } = (await api.get(path, { as: 'member' })).body.data
      return attributes.state !== 'running' && attributes
    })
    expect(undone).toMatchObject({ state: 'done', events: 4, reverted: 3 })
    expect(undone.conflicts).toMatchObject([{ record_id: three.id, field: 'access', reason: 'changed' }])
    expect(await Promise.all([one, two].map(({ id }) => levels(id)))).toEqual(before.slice(0, 2))
    expect(await levels(three.id)).toEqual({ [other.id]: 'manage' })
  })

  test('what others have changed since stays, and is told', async () => {
    const [person, gone] = [await createRecord('person', { job_title: 'Admiral' }), await createRecord('person', {})]
    const update = (id: string, attributes: Json): readonly [string, Json] => [
      'records_update',
      { object: 'person', id, body: recordOf('person', attributes) },
    ]
    model.answer(
      calls(
        update(person.id, { job_title: 'Captain', description: 'New' }),
        update(gone.id, { job_title: 'Captain' }),
        ['records_create', { object: 'task', body: recordOf('task', { title: 'Kept' }) }],
      ),
    )
    const ended = await carryOut(agent.id)
    const created = JSON.parse(ended.attributes.steps[3].output.result).data.id
    await change('person', person.id, { job_title: 'Commodore' })
    await change('task', created, { title: 'Mine' })
    await api.delete(`${recordsPath('person')}/${gone.id}`, { as: 'member' })

    const { events, reverted, conflict_count, conflicts } = await undo(ended.id)
    expect([events, reverted, conflict_count]).toEqual([3, 0, 3])
    expect(conflicts).toMatchObject([
      { object: 'task', record_id: created, activity_type: 'svc:create', field: 'title', reason: 'changed' },
      { record_id: gone.id, reason: 'gone' },
      { record_id: person.id, activity_type: 'svc:update', field: 'job_title', reason: 'changed' },
    ])
    expect((await read('person', person.id)).body.data.attributes).toMatchObject({ job_title: 'Commodore' })
    expect((await read('person', person.id)).body.data.attributes.description ?? null).toBeNull()
    expect((await read('task', created)).body.data.attributes.title).toBe('Mine')
  })

  test('may be undone in silence', async () => {
    const runId = await act(['records_create', { object: 'task', body: recordOf('task', { title: 'Quiet' }) }])
    const before = await end()
    await api.post(undoPath(runId), { as: 'member', query: { silent: 'true' } })
    await undo(runId)
    const told = await since(before)
    expect(told).toMatchObject([{ type: 'record.deleted', silent: true, actor: { entity: 'user' } }])
  })

  test('what has no way back is told', async () => {
    const [target, source] = [await createRecord('person', {}), await createRecord('person', {})]
    const runId = await act([
      'records_merge',
      { object: 'person', id: target.id, body: recordOf('person', { sources: [source.id] }) },
    ])
    expect((await undo(runId)).conflicts).toMatchObject([{ reason: 'not_undoable', activity_type: 'svc:merge' }])
  })

  test('of code is undone too, by its owner or an admin alone, once it has ended', async () => {
    const { id } = await create({
      scopes,
      code: program(`await client.records.createBulk('task', [{ title: 'Of code' }])`),
    })
    const ended = await carryOut(id)
    const path = `${agentsPath}/${id}/runs/${ended.id}/undo`
    const other = await app.addMember('member', 'other')
    expect((await api.post(path, { as: other.as })).status).toBe(403)
    expect((await api.get(path, { as: 'member' })).status).toBe(404)
    expect((await api.post(path, { as: 'admin' })).status).toBe(202)
    await until(async () => (await api.get(path)).body.data.attributes.state === 'done')
    expect((await api.get(`${resourcesPath('task')}?filter[title]=Of%20code`)).body.data).toEqual([])
  })

  test('is not undone while it goes on', async () => {
    let answer: (() => void) | undefined
    model.answer((response, request) => {
      answer = () => calls()(response, request)
    })
    const { id } = await begin(agent.id)
    await until(async () => model.asked.length === 1)
    const { status, body } = await api.post(undoPath(id), { as: 'member' })
    expect([status, body.errors[0].code]).toEqual([409, 'run_state'])
    answer?.()
  })
})

test('comments of an agent are deleted with its run', async () => {
  const person = await createRecord('person', {})
  const comment = { entity: 'person', owner_id: person.id, message: paragraph('Hello') }
  model.answer(calls(['comments_create', { body: comment }]))
  const ended = await carryOut(agent.id)
  const { _id: id } = JSON.parse(ended.attributes.steps[1].output.result)
  expect((await api.get(`${commentsPath}/${id}`, { as: 'member' })).status).toBe(200)
  await undo(ended.id)
  expect((await api.get(`${commentsPath}/${id}`, { as: 'member' })).status).toBe(404)
})
