import { beforeEach, describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { commentsOf } from '../harness/comments.ts'
import { grantOf, share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { notificationsOf } from '../harness/notifications.ts'
import type { Person } from '../harness/people.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { api, userIds } = app
const comments = commentsOf(app)
const records = recordsOf(app)
const { news, kinds } = notificationsOf(app)

beforeEach(async () => {
  for (const person of ['admin', 'member', 'viewer'] as const) await news(person)
})

const naming = (...ids: string[]): Json => [
  { type: 'paragraph', content: ids.map((id) => ({ type: 'mention', entity: 'user', id })) },
]

const owned = (owner: Person, name = 'Acme') =>
  api.post(recordsPath('company'), {
    as: 'admin',
    body: { data: { type: 'company', attributes: { name, owner_id: userIds[owner] } } },
  })

const ofMember = async (name?: string): Promise<string> => {
  const { body } = await owned('member', name)
  await news('member')
  return body.data.id
}

test('a comment is told to the member in charge of the record, with all that there is to know', async () => {
  const id = await ofMember('Acme')
  const comment = await comments.create('company', id, 'Called', { as: 'admin' })
  expect(await news('member')).toEqual([
    {
      _id: expect.any(String),
      kind: 'comment',
      object: 'company',
      record_id: id,
      record_name: 'Acme',
      comment_id: comment._id,
      run_id: null,
      actor: { type: 'user', id: userIds.admin, name: 'Ada Admin' },
      read_at: null,
      _created_at: expect.stringMatching(/Z$/),
    },
  ])
  expect(await kinds('viewer')).toEqual([])
})

test('and to members who have commented before, but not to its author', async () => {
  const id = await ofMember()
  await comments.create('company', id, 'One', { as: 'admin' })
  await news('member')
  await comments.create('company', id, 'Two', { as: 'member' })
  expect([await kinds('member'), await kinds('admin')]).toEqual([[], ['comment']])
})

test('a mention is told instead of the comment; an edited comment tells the newly mentioned', async () => {
  const id = await ofMember()
  const { body } = await comments.post('company', id, naming(userIds.member, userIds.admin), { as: 'admin' })
  expect([await kinds('member'), await kinds('admin')]).toEqual([['mention'], []])
  await comments.patch(body._id, naming(userIds.member, userIds.viewer), { as: 'admin' })
  expect([await kinds('member'), await kinds('viewer')]).toEqual([[], ['mention']])
  await comments.patch(body._id, naming(userIds.member), { as: 'admin' })
  await comments.patch(body._id, naming(userIds.member, userIds.viewer), { as: 'admin' })
  expect([await kinds('member'), await kinds('viewer')]).toEqual([[], []])
})

test('a key of the workspace is named by its id, and strangers and people who do not exist are not told', async () => {
  const id = await ofMember()
  const { body } = await comments.post('company', id, naming(userIds.stranger, id), { as: 'workspaceKey' })
  expect(body.errors).toBeUndefined()
  expect((await news('member')).map(({ kind, actor }) => [kind, actor.type, actor.name])).toEqual([
    ['comment', 'workspace-key', null],
  ])
})

describe('an assignment', () => {
  test('is told by a new record and by a changed one, once each, and not to the one who does it', async () => {
    const { body } = await owned('member')
    expect(await kinds('member')).toEqual(['assignment'])
    await records.patch('company', body.data.id, { name: 'Other' }, {}, { as: 'admin' })
    expect(await kinds('member')).toEqual([])
    await records.patch('company', body.data.id, { owner_id: userIds.viewer }, {}, { as: 'admin' })
    expect([await kinds('member'), await kinds('viewer')]).toEqual([[], ['assignment']])
    await records.patch('company', body.data.id, { owner_id: userIds.admin }, {}, { as: 'admin' })
    expect(await kinds('admin')).toEqual([])
  })

  test('is told of each of many records', async () => {
    const items = ['A', 'B', 'C'].map((name) => ({
      type: 'company',
      attributes: { name, owner_id: userIds.member },
    }))
    await api.post(`${recordsPath('company')}/bulk`, { as: 'admin', body: { data: items } })
    expect((await news('member')).map(({ kind, record_name }) => [kind, record_name])).toEqual(
      ['A', 'B', 'C'].map((name) => ['assignment', name]),
    )
  })
})

describe('sharing', () => {
  test('a record, a list and an object is told to the grantee, unless the grant says not to', async () => {
    const id = await ofMember()
    await share(api.post, `company/records/${id}`, userIds.viewer, 'edit')
    expect((await news('viewer')).map(({ kind, record_name }) => [kind, record_name])).toEqual([['share', 'Acme']])
    const list = await api.post('/workspaces/acme/objects/company/lists', {
      as: 'admin',
      body: { data: { type: 'list', attributes: { title: 'Mine', type: 'static' } } },
    })
    await share(api.post, `list/records/${list.body.data.id}`, userIds.viewer, 'view')
    expect((await news('viewer')).map(({ kind, object }) => [kind, object])).toEqual([['share', 'list']])
    await api.post('/workspaces/acme/objects/meeting/access', {
      as: 'admin',
      body: { data: grantOf(userIds.viewer, 'view') },
    })
    expect((await news('viewer')).map(({ kind, object }) => [kind, object])).toEqual([['share', 'schema']])
    const quiet = grantOf(userIds.member, 'edit')
    await api.post(`/workspaces/acme/objects/company/records/${id}/access`, {
      as: 'admin',
      body: { data: { ...quiet, attributes: { ...quiet.attributes, notify: false } } },
    })
    expect(await kinds('member')).toEqual([])
  })
})

test('a run that fails is told to the owner of the workflow, a test run is not', async () => {
  const workflows = workflowsOf(app)
  const failing = chain(
    { plugin_id: 'on:manual:execution' },
    {
      key: 'gone',
      plugin_id: 'svc:update:record',
      input: { object: 'company', record_id: '01900000-0000-7000-8000-000000000000', attributes: { name: 'X' } },
    },
  )
  const workflow = await workflows.create({ name: 'Fails', enabled: true, ...failing }, 'member')
  const { body } = await api.post(`${workflows.path}/${workflow.id}/runs`, { as: 'member', body: {} })
  await workflows.runIn(body.data.id, 'failed')
  expect((await news('member')).map(({ kind, record_id, run_id }) => [kind, record_id, run_id])).toEqual([
    ['workflow_failure', workflow.id, body.data.id],
  ])
})

describe('what may not be seen is not told', () => {
  test('of a record that a person does not see', async () => {
    const { body } = await api.post(recordsPath('meeting'), {
      as: 'admin',
      body: { data: { type: 'meeting', attributes: { title: 'Secret', visibility: 'private' } } },
    })
    await comments.post('meeting', body.data.id, naming(userIds.member), { as: 'admin' })
    expect(await kinds('member')).toEqual([])
  })

  test('nor by its name, once it is hidden or gone', async () => {
    const id = await ofMember('Hidden')
    await comments.create('company', id, 'Called', { as: 'admin' })
    await app.quiet()
    await api.delete(recordsPath('company'), { as: 'admin', body: { items: [id] } })
    expect((await news('member')).map(({ record_id, record_name }) => [record_id, record_name])).toEqual([[id, null]])
  })
})
