import { beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { createKey } from '../harness/people.ts'
import { pointersOf, recordsOf, recordsPath } from '../harness/records.ts'
import { notificationsOf, notificationsPath } from '../harness/notifications.ts'
import { commentsOf } from '../harness/comments.ts'

const app = await startApp()
const { api, userIds } = app
const { list, news } = notificationsOf(app)
const preferences = `${notificationsPath}/preferences`
const records = recordsOf(app)
const comments = commentsOf(app)

const assign = (name: string) =>
  api.post(recordsPath('company'), {
    body: { data: { type: 'company', attributes: { name, owner_id: userIds.member } } },
  })

const names = async (query = '') => (await list('member', query)).map(({ attributes }) => attributes.record_name)

beforeAll(async () => {
  for (const name of ['A', 'B', 'C']) {
    await assign(name)
    await app.startJobs()
    await app.quiet()
  }
})

test('lists those of the caller, the newest first, in pages and in either order', async () => {
  expect(await names()).toEqual(['C', 'B', 'A'])
  expect(await names('?sortOrder[column]=_created_at&sortOrder[dir]=ASC&page[limit]=2')).toEqual(['A', 'B'])
  expect(await list('admin')).toEqual([])
  const { body } = await api.get(`${notificationsPath}?page[limit]=1&page[offset]=1`, { as: 'memberKey' })
  expect(body.data.map(({ attributes }: { attributes: { record_name: string } }) => attributes.record_name)).toEqual([
    'B',
  ])
  expect(body.meta).toEqual({ total_records: 3, total_pages: 3, offset: 1, limit: 1 })
})

const read = (as: 'member' | 'admin', body: object) => api.post(`${notificationsPath}/read`, { as, body })

test('filters by kind and by whether they were read; only unread ones of the caller are marked', async () => {
  expect(await names('?filter[kind]=comment')).toEqual([])
  const [, second] = await list('member')
  expect((await read('admin', { items: [second!.id] })).body).toEqual({})
  expect(await names('?filter[read]=true')).toEqual([])
  expect((await read('member', { items: [second!.id, 'nonsense'] })).status).toBe(200)
  expect([await names('?filter[read]=true'), await names('?filter[read]=false')]).toEqual([['B'], ['C', 'A']])
  const readAt = (await list('member', '?filter[read]=true'))[0]!.attributes.read_at
  await read('member', { items: [second!.id] })
  expect((await list('member', '?filter[read]=true'))[0]!.attributes.read_at).toBe(readAt)
  await read('member', { items: 'all' })
  expect(await names('?filter[read]=false')).toEqual([])
})

test.for([{}, { items: [] }, { items: 'some' }, { items: 'all', more: true }])('%j marks nothing', async (body) => {
  const { status } = await api.post(`${notificationsPath}/read`, { as: 'member', body })
  expect(status).toBe(422)
})

test('are for people: a key of the workspace is told so, and keys need the scope', async () => {
  for (const path of [notificationsPath, preferences]) {
    const { status, body } = await api.get(path, { as: 'workspaceKey' })
    expect([status, body.errors[0].detail]).toEqual([403, expect.stringContaining('Only people')])
  }
  const { key } = await createKey(api.post, 'member', { scopes: ['comments:read'] })
  expect((await api.get(notificationsPath, { as: { authorization: `api-key ${key}` } })).status).toBe(403)
  expect((await api.get('/workspaces/acme/notifications', { as: 'stranger' })).status).toBe(404)
})

const change = (attributes: object, as: 'member' | 'viewer' = 'member') =>
  api.patch(preferences, { as, body: { data: { type: 'notification-preferences', attributes } } })

describe('preferences', () => {
  test('have defaults, and change one by one', async () => {
    const byDefault = { muted: [], digest: 'off', digest_hour: 8, digest_available: false }
    const { body } = await api.get(preferences, { as: 'viewer' })
    expect(body.data).toEqual({ type: 'notification-preferences', id: userIds.viewer, attributes: byDefault })
    expect((await change({ digest: 'weekly' }, 'viewer')).body.data.attributes).toEqual({
      ...byDefault,
      digest: 'weekly',
    })
    expect((await change({ digest_hour: 20, muted: ['share', 'share'] }, 'viewer')).body.data.attributes).toEqual({
      muted: ['share'],
      digest: 'weekly',
      digest_hour: 20,
      digest_available: false,
    })
    expect((await api.get(preferences, { as: 'member' })).body.data.attributes).toEqual(byDefault)
  })

  test('a muted kind is not told, others are', async () => {
    await change({ muted: ['assignment'] })
    const { body } = await assign('Muted')
    await comments.create('company', body.data.id, 'Hello', { as: 'admin' })
    expect((await news('member')).map(({ kind }) => kind)).toEqual(['comment'])
    await change({ muted: [] })
  })

  test.for([
    [{ muted: ['weather'] }, '/data/attributes/muted/0'],
    [{ digest: 'hourly' }, '/data/attributes/digest'],
    [{ digest_hour: 24 }, '/data/attributes/digest_hour'],
  ] as const)('%j is refused at %s', async ([body, pointer]) => {
    const answer = await change(body)
    expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]])
  })
})

test('merging moves them to the target, and purging deletes them', async () => {
  await news('member')
  const [kept, gone] = [await records.create('company', { name: 'Kept' }), (await assign('Gone')).body.data]
  await app.quiet()
  expect((await records.merge('company', kept.id, [gone.id], { as: 'admin' })).status).toBeLessThan(300)
  expect((await news('member')).map(({ record_id }) => record_id)).toEqual([kept.id])
})

test('a member who returns is told of nothing that was before', async () => {
  const { id, as } = await app.addMember('member', 'returning')
  await api.post(recordsPath('company'), { body: { data: { type: 'company', attributes: { owner_id: id } } } })
  await app.quiet()
  expect(await list(as)).toHaveLength(1)
  expect((await api.delete(`/workspaces/acme/users/${id}`)).status).toBeLessThan(300)
  await app.quiet()
  const returned = await app.addMember('member', 'returning')
  expect([returned.id, await list(returned.as)]).toEqual([id, []])
})
