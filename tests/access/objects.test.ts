import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { openAt } from '../harness/database.ts'
import { grantOf, type Level } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import type { Caller } from '../harness/people.ts'
import { nextNumber, recordsOf, recordsPath, resourcesPath, unknownId } from '../harness/records.ts'
import { listsOf } from '../lists/lists.ts'

const app = await startApp()
const { api, userIds } = app
const records = recordsOf(app, 'admin')
const access = '/workspaces/acme/objects/meeting/access'
await app.startJobs()

let meeting: Json
let task: Json
beforeEach(async () => {
  meeting = await records.create('meeting', { title: `Merger${nextNumber()}` })
  task = await records.create('task', { title: 'Prepare', meeting_id: meeting.id })
})

const give = async (grantee: string, level: Level, as: Caller = 'admin') =>
  api.post(access, { as, body: { data: grantOf(grantee, level) } })

const granted = async (): Promise<Json[]> => (await api.get(access)).body.data

afterEach(async () => {
  for (const { id } of await granted()) expect((await api.delete(`${access}/${id}`)).status).toBe(202)
})

const path = () => `${recordsPath('meeting')}/${meeting.id}`

/** Everything in which a caller may see a meeting, and whether they do. */
async function sights(as: Caller): Promise<boolean[]> {
  const { title } = meeting.attributes
  const list = await api.get(resourcesPath('meeting'), { as, query: { 'filter[title]': title } })
  const found = await api.post('/workspaces/acme/search', { as, body: { query: title } })
  const tasks = await api.get(resourcesPath('task'), { as, query: { 'filter[meeting_id.title]': title } })
  const one = await api.get(`${recordsPath('task')}/${task.id}`, { as, query: { include: 'meeting_id' } })
  return [
    (await api.get(path(), { as })).status === 200,
    list.body.data.length === 1 && list.body.meta.total_records === 1,
    found.body.meta.total_records === 1,
    tasks.body.meta.total_records === 1,
    one.body.data.attributes.meeting_id === meeting.id && one.body.included.length === 1,
  ]
}

const rename = (as: string) =>
  api.patch(path(), { as: as as Caller, body: { data: { type: 'meeting', attributes: { summary: `By ${as}` } } } })

/** The number of the set of schemas that acme has. */
async function epoch(): Promise<number> {
  const database = openAt(app.databaseUrl)
  try {
    const [workspace] = await database.reader.query<{ schema_epoch: number }>(({ knex }) =>
      knex('workspace').select('schema_epoch').where({ slug: 'acme' }),
    )
    return workspace?.schema_epoch ?? 0
  } finally {
    await database.close()
  }
}

/** Returns whether the feed of the task says that it joined a list. */
const told = async () =>
  JSON.stringify((await api.get(`${recordsPath('task')}/${task.id}/activities`)).body).includes('svc:add-to-list')

const all = [true, true, true, true, true]
const none = all.map(() => false)

describe('a grant on an object', () => {
  test('opens all of its records to a member, those to come included, until it is revoked', async () => {
    expect(await sights('member')).toEqual(none)
    const { status, body } = await give(userIds.member, 'view')
    expect([status, body.data.attributes]).toMatchObject([
      201,
      { object_id: 'meeting', grantee_type: 'user', grantee_id: userIds.member, access_level: 'view' },
    ])
    expect([
      await sights('member'),
      await sights('memberKey'),
      await sights('viewer'),
      await sights('workspaceKey'),
    ]).toEqual([all, all, none, none])
    meeting = await records.create('meeting', { title: `Merger${nextNumber()}` })
    expect((await api.get(path(), { as: 'member' })).status).toBe(200)
    expect(
      (await api.patch(path(), { as: 'member', body: { data: { type: 'meeting', attributes: { title: 'Mine' } } } }))
        .status,
    ).toBe(403)
    expect((await api.delete(`${access}/${body.data.id}`)).status).toBe(202)
    expect((await api.get(path(), { as: 'member' })).status).toBe(404)
  })

  test('to the workspace opens them to all members, viewers and workspace keys included', async () => {
    await give('workspace', 'edit')
    expect([await sights('member'), await sights('viewer'), await sights('workspaceKey')]).toEqual([all, all, all])
    expect([
      (await rename('member')).status,
      (await rename('workspaceKey')).status,
      (await rename('viewer')).status,
    ]).toEqual([200, 200, 403])
  })

  test('that lets a workspace key edit all of them lets it create some, as long as it is there', async () => {
    const create = async () =>
      (
        await api.post(recordsPath('meeting'), {
          as: 'workspaceKey',
          body: { data: { type: 'meeting', attributes: {} } },
        })
      ).status
    const { body } = await give('workspace', 'comment')
    expect(await create()).toBe(403)
    await give('workspace', 'edit')
    expect(await create()).toBe(201)
    await api.delete(`${access}/${body.data.id}`)
    expect(await create()).toBe(403)
  })

  test('with the level that it has already changes nothing: no node has to read the schemas anew', async () => {
    await give(userIds.member, 'view')
    await app.events()
    const before = await epoch()
    expect((await give(userIds.member, 'view')).status).toBe(200)
    expect([await epoch(), await app.events()]).toEqual([before, []])
    await give(userIds.member, 'edit')
    expect(await epoch()).toBe(before + 1)
  })

  test('is given again with another level, is listed, and is told in the feed of the schema', async () => {
    await give(userIds.member, 'view')
    await app.events()
    const { status, body } = await give(userIds.member, 'manage')
    expect([status, body.data.attributes.access_level]).toEqual([200, 'manage'])
    expect(await granted()).toEqual([body.data])
    expect(await app.events()).toMatchObject([
      { type: 'access.updated', object: 'schema', payload: { access_level: 'manage', notify: true } },
    ])
    const feed = await api.get('/workspaces/acme/schemas/meeting/activities')
    expect(feed.body.data[0].attributes.data[0].type).toBe('svc:update-access')
    expect(
      (await api.post(`${path()}/access`, { as: 'member', body: { data: grantOf(userIds.viewer, 'view') } })).status,
    ).toBe(201)
  })

  test('is a reason that is explained', async () => {
    const { body } = await give(userIds.member, 'comment')
    const explained = await api.get(`${path()}/access/explain`, { query: { user: userIds.member } })
    expect(explained.body.data.attributes).toMatchObject({
      access_level: 'comment',
      reasons: [{ source: 'object_grant', grant_id: body.data.id, access_level: 'comment' }],
    })
    const own = await api.get(`${path()}/access`, { as: 'member' })
    expect(own.body.meta.viewerAccess).toMatchObject([{ source: 'object_grant' }])
  })

  test('has the dynamic lists of whom it concerns evaluated', async () => {
    const lists = listsOf(app)
    const { id } = await lists.create('task', {
      query: { filter: { field: 'meeting_id.title', op: 'Is', value: meeting.attributes.title } },
    })
    await lists.publish('task', id)
    await expect
      .poll(async () => (await lists.get('task', id)).body.data.attributes.list_evaluation_status)
      .toBe('idle')
    expect(await told()).toBe(false)
    await give(userIds.member, 'view')
    await expect.poll(told).toBe(true)
  })

  test('is for admins to give and to revoke, and never for workspace keys', async () => {
    const { body } = await give(userIds.viewer, 'view')
    expect([
      (await give(userIds.member, 'view', 'member')).status,
      (await api.delete(`${access}/${body.data.id}`, { as: 'member' })).status,
    ]).toEqual([403, 403])
    expect((await api.get(access, { as: 'workspaceKey' })).status).toBe(403)
    expect((await api.get(access, { as: 'member' })).body.data).toHaveLength(1)
    expect((await api.delete(`${access}/${unknownId}`)).status).toBe(404)
    expect(
      (await api.post('/workspaces/acme/objects/nothing/access', { body: { data: grantOf('workspace', 'view') } }))
        .status,
    ).toBe(404)
    expect((await give(unknownId, 'view')).status).toBe(422)
  })

  test('ends with the membership: who comes back has none', async () => {
    const leaver = await app.addMember('member', `leaver-${nextNumber()}`)
    await give(leaver.id, 'view')
    expect(await sights(leaver.as)).toEqual(all)
    expect((await api.delete(`/workspaces/acme/users/${leaver.id}`)).status).toBeLessThan(300)
    expect(await granted()).toEqual([])
  })
})
