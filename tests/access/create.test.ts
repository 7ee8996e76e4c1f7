import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { grantOf, share } from '../harness/grants.ts'
import type { Caller } from '../harness/people.ts'
import { nextNumber, pointersOf, recordsOf, recordsPath, unknownId } from '../harness/records.ts'

const app = await startApp()
const { api, userIds } = app
const records = recordsOf(app)
const colleague = await app.addMember('member', 'colleague')
const W = '/workspaces/acme'

/** A meeting of the member: only the member and admins see it. */
const meet = async (): Promise<{ id: string; access: string; path: string; target: string }> => {
  const { id } = await records.create('meeting', { title: `Talk ${nextNumber()}` })
  return {
    id,
    path: `${recordsPath('meeting')}/${id}`,
    access: `${recordsPath('meeting')}/${id}/access`,
    target: `meeting/records/${id}`,
  }
}

test.each([
  [undefined, true],
  [true, true],
  [false, false],
])('takes notify %s, and says in the event whether the grantee is to be notified', async (notify, said) => {
  const { access } = await meet()
  const grant = grantOf(colleague.id, 'view')
  await app.events()
  expect(
    (await give(access, { ...grant, attributes: { ...grant.attributes, ...(notify !== undefined && { notify }) } }))
      .status,
  ).toBe(201)
  expect(await app.events()).toMatchObject([{ type: 'access.granted', payload: { notify: said } }])
  expect(pointersOf(await give(access, { ...grant, attributes: { ...grant.attributes, notify: 'please' } }))).toEqual([
    '/data/attributes/notify',
  ])
})

const give = (path: string, data: unknown, as: Caller = 'member') => api.post(path, { as, body: { data } })

test('answers 201 with the grant, and tells it in the feed of the record', async () => {
  const { id, access } = await meet()
  await app.events()
  const { status, body } = await give(access, grantOf(colleague.id, 'comment'))
  expect(status).toBe(201)
  expect(body).toEqual({
    data: {
      type: 'object-record-access',
      id: expect.any(String),
      attributes: {
        _id: body.data.id,
        object_id: id,
        grantee_type: 'user',
        grantee_id: colleague.id,
        access_level: 'comment',
        _created_at: expect.stringMatching(/Z$/),
        _created_by: userIds.member,
        _updated_at: null,
        _updated_by: null,
      },
    },
  })
  expect(await app.events()).toMatchObject([
    {
      type: 'access.granted',
      object: 'meeting',
      record_id: id,
      silent: false,
      payload: { grant_id: body.data.id, grantee_type: 'user', grantee_id: colleague.id, access_level: 'comment' },
    },
  ])
  const feed = await api.get(`${recordsPath('meeting')}/${id}/activities`, { as: 'member' })
  expect(feed.body.data[0].attributes.data[0]).toMatchObject({
    type: 'svc:grant-access',
    object: { _id: id, diff: [{ op: 'add', path: ['access', colleague.id], val: 'comment', oldVal: null }] },
  })
})

test('the same grantee again changes the level, with 200; with the same level nothing happens', async () => {
  const { id, access } = await meet()
  const { body: first } = await give(access, grantOf(colleague.id, 'view'))
  await app.events()
  const again = await give(access, grantOf(colleague.id, 'edit'), 'admin')
  expect(again.status).toBe(200)
  expect(again.body.data).toMatchObject({
    id: first.data.id,
    attributes: {
      access_level: 'edit',
      _created_by: userIds.member,
      _updated_by: userIds.admin,
      _updated_at: expect.stringMatching(/Z$/),
    },
  })
  expect(await app.events()).toMatchObject([
    {
      type: 'access.updated',
      record_id: id,
      payload: { access_level: 'edit', diff: [{ op: 'update', val: 'edit', oldVal: 'view' }] },
    },
  ])
  const same = await give(access, grantOf(colleague.id, 'edit'))
  expect(same.status).toBe(200)
  expect(same.body).toEqual(again.body)
  expect(await app.events()).toEqual([])
})

test('leaves the record as it is, its version included', async () => {
  const { id, access } = await meet()
  const before = await records.get('meeting', id)
  await give(access, grantOf('workspace', 'edit'))
  const after = await records.get('meeting', id)
  expect([after.body, after.headers['etag']]).toEqual([before.body, before.headers['etag']])
})

/** The outcome of each kind of attempt at a meeting. */
const attempts = async (id: string, as: Caller) => {
  const path = `${recordsPath('meeting')}/${id}`
  const message = [{ type: 'paragraph', content: [{ type: 'text', text: 'Hello' }] }]
  return {
    get: (await api.get(path, { as })).status,
    comment: (await api.post(`${W}/comments`, { as, body: { entity: 'meeting', owner_id: id, message } })).status,
    edit: (
      await api.patch(path, { as, body: { data: { type: 'meeting', attributes: { summary: `S ${nextNumber()}` } } } })
    ).status,
    share: (await give(`${path}/access`, grantOf(userIds.admin, 'view'), as)).status,
  }
}

describe('what each level allows', () => {
  test('to a member', async () => {
    const { id, access } = await meet()
    expect(await attempts(id, colleague.as)).toEqual({ get: 404, comment: 403, edit: 404, share: 404 })
    await give(access, grantOf(colleague.id, 'view'))
    expect(await attempts(id, colleague.as)).toEqual({ get: 200, comment: 403, edit: 403, share: 403 })
    await give(access, grantOf(colleague.id, 'comment'))
    expect(await attempts(id, colleague.as)).toEqual({ get: 200, comment: 201, edit: 403, share: 403 })
    await give(access, grantOf(colleague.id, 'edit'))
    expect(await attempts(id, colleague.as)).toEqual({ get: 200, comment: 201, edit: 200, share: 403 })
    await give(access, grantOf(colleague.id, 'manage'))
    expect(await attempts(id, colleague.as)).toEqual({ get: 200, comment: 201, edit: 200, share: 201 })
  })

  test('to the workspace, and so to its keys, which share nothing', async () => {
    const { id, access } = await meet()
    expect(await attempts(id, 'workspaceKey')).toEqual({ get: 404, comment: 403, edit: 404, share: 403 })
    await give(access, grantOf('workspace', 'comment'))
    expect(await attempts(id, colleague.as)).toEqual({ get: 200, comment: 201, edit: 403, share: 403 })
    expect(await attempts(id, 'workspaceKey')).toEqual({ get: 200, comment: 201, edit: 403, share: 403 })
    await give(access, grantOf('workspace', 'manage'))
    expect(await attempts(id, colleague.as)).toEqual({ get: 200, comment: 201, edit: 200, share: 201 })
    expect(await attempts(id, 'workspaceKey')).toEqual({ get: 200, comment: 201, edit: 200, share: 403 })
  })

  test('to a viewer, who reads at most', async () => {
    const { id, access } = await meet()
    expect(await attempts(id, 'viewer')).toEqual({ get: 404, comment: 403, edit: 403, share: 403 })
    await give(access, grantOf(userIds.viewer, 'manage'))
    expect(await attempts(id, 'viewer')).toEqual({ get: 200, comment: 403, edit: 403, share: 403 })
  })

  test('beside what the object gives, the higher counts', async () => {
    const { id } = await records.create('person', {})
    await give(`${recordsPath('person')}/${id}/access`, grantOf(colleague.id, 'view'))
    expect((await records.patch('person', id, { job_title: 'Chair' }, {}, { as: colleague.as })).status).toBe(200)
  })
})

describe('who is shared with', () => {
  test.for([
    ['an unknown user', grantOf(unknownId, 'view')],
    ['a user of another workspace', grantOf(userIds.stranger, 'view')],
    ['what is no id', grantOf('no-id', 'view')],
    [
      'a user without an id',
      { type: 'object-record-access', attributes: { grantee_type: 'user', access_level: 'view' } },
    ],
    [
      'the workspace by an id',
      {
        type: 'object-record-access',
        attributes: { grantee_type: 'workspace', grantee_id: unknownId, access_level: 'view' },
      },
    ],
  ] as const)('%s is 422 with a pointer, and nothing is granted', async ([, data]) => {
    const { access } = await meet()
    const refused = await give(access, data)
    expect(refused.status).toBe(422)
    expect(pointersOf(refused)).toEqual(['/data/attributes/grantee_id'])
    expect((await api.get(access)).body.data).toEqual([])
  })

  test.for(['none', 'owner', 'VIEW', ''])('"%s" is no level', async (level) => {
    const { access } = await meet()
    const refused = await give(access, grantOf(colleague.id, level as 'view'))
    expect(refused.status).toBe(422)
    expect(pointersOf(refused)).toEqual(['/data/attributes/access_level'])
  })
})

test('a record that is deleted, unknown or of another object cannot be shared', async () => {
  const { id, access } = await meet()
  await records.remove('meeting', [id])
  const paths = [
    access,
    `${recordsPath('meeting')}/${unknownId}/access`,
    `${recordsPath('meeting')}/nothing/access`,
    `${recordsPath('person')}/${id}/access`,
    `${recordsPath('constructor')}/${id}/access`,
  ]
  for (const path of paths) expect((await give(path, grantOf(colleague.id, 'view'), 'admin')).status, path).toBe(404)
})

test('what is shared comes back shared when it is restored', async () => {
  const { id, path, access, target } = await meet()
  await share(api.post, target, colleague.id, 'view')
  await share(api.post, target, 'workspace', 'view')
  await records.remove('meeting', [id])
  expect((await api.get(`${W}/objects/meeting/deleted-resources`, { as: colleague.as })).body.data).toMatchObject([
    { id },
  ])
  expect((await records.restore('meeting', [id], { as: 'viewer' })).status).toBe(403)
  await records.restore('meeting', [id])
  expect((await api.get(path, { as: colleague.as })).status).toBe(200)
  expect(
    (
      await records.list(
        'meeting',
        { 'filter[_id]': id, 'sortOrder[column]': 'title', 'sortOrder[dir]': 'ASC' },
        { as: 'viewer' },
      )
    ).body.meta.total_records,
  ).toBe(1)
  expect((await api.get(access)).body.data).toHaveLength(2)
})
