import { beforeEach, describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import type { Caller } from '../harness/people.ts'
import { nextNumber, recordsOf } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'
import { listsOf } from './lists.ts'

// The membership of a list shows only what its owner may see at that time.
const app = await startApp()
const ofAdmin = recordsOf(app, 'admin')
await app.startJobs()

const told = new Map<string, Map<string, number>>()

/** The members of a list, by its events. */
async function joined(list: string): Promise<string[]> {
  for (const { type, record_id, payload } of await app.events()) {
    if (!type.startsWith('list.entry_')) continue
    const balance = told.get(payload.list_id) ?? new Map<string, number>()
    told.set(
      payload.list_id,
      balance.set(record_id, (balance.get(record_id) ?? 0) + (type === 'list.entry_added' ? 1 : -1)),
    )
  }
  return [...(told.get(list) ?? [])]
    .filter(([, times]) => times > 0)
    .map(([id]) => id)
    .toSorted()
}

const eventually = (list: string, ...some: readonly Json[]) =>
  expect.poll(() => joined(list)).toEqual(some.map(({ id }): string => id).toSorted())

const statusOf = async (object: string, list: string): Promise<string> =>
  (await app.api.get(`/workspaces/acme/objects/${object}/lists/${list}`)).body.data.attributes.list_evaluation_status

/** A published list, evaluated once. */
async function published(object: string, query: Json, as: Caller = 'member', more: Json = {}): Promise<string> {
  const lists = listsOf(app, as)
  const { id } = await lists.create(object, { query, ...more })
  await lists.publish(object, id)
  await expect.poll(() => statusOf(object, id)).toBe('idle')
  return id
}

let word: string
let [meeting, task]: Json[] = []
beforeEach(async () => {
  word = `Merger${nextNumber()}`
  meeting = await ofAdmin.create('meeting', { title: word })
  task = await ofAdmin.create('task', { title: 'Visible to all members', meeting_id: meeting.id })
})

const byTitle = () => ({ filter: { field: 'meeting_id.title', op: 'Contains', value: word } })

describe('a hidden value', () => {
  test.each([
    ['a path', () => byTitle()],
    [
      'a negation',
      () => ({
        filter: {
          and: [
            { field: 'title', op: 'Is', value: 'Visible to all members' },
            { not: { or: [{ field: 'meeting_id.title', op: 'Does not contain', value: word }] } },
          ],
        },
      }),
    ],
    [
      'SQL',
      () => ({
        sql:
          'SELECT task.* FROM task JOIN meeting ON task.meeting_id = meeting._id WHERE meeting.title LIKE ' +
          `'%${word}%'`,
      }),
    ],
    [
      'SQL with a limit',
      () => ({
        sql:
          'SELECT task.* FROM task JOIN meeting ON task.meeting_id = meeting._id WHERE meeting.title LIKE ' +
          `'%${word}%' LIMIT 5`,
      }),
    ],
    ['the reference itself', () => ({ filter: { field: 'meeting_id', op: 'Is', value: meeting.id } })],
  ])('is not found out by %s, neither as a whole nor as records change', async (_, query) => {
    const list = await published('task', query())
    const witness = await published('task', { filter: { field: 'priority', op: 'Is', value: 'Urgent' } })
    await ofAdmin.patch('meeting', meeting.id, { title: `${word} again` })
    await ofAdmin.patch('task', task.id, { priority: 'Urgent' })
    await expect.poll(async () => (await joined(witness)).includes(task.id)).toBe(true)
    expect(await joined(list)).toEqual([])
    const { body } = await app.api.get(`/workspaces/acme/objects/task/records/${task.id}/activities`, { as: 'member' })
    expect(JSON.stringify(body)).not.toContain(list)
    await ofAdmin.patch('task', task.id, { priority: null })
  })
})

describe('rights that change', () => {
  test('of a grant on what the query looks at', async () => {
    const list = await published('task', byTitle())
    const grant = await share(app.api.post, `meeting/records/${meeting.id}`, app.userIds.member, 'view')
    await eventually(list, task)
    await app.api.delete(`/workspaces/acme/objects/meeting/records/${meeting.id}/access/${grant}`)
    await eventually(list)
    await share(app.api.post, `meeting/records/${meeting.id}`, 'workspace', 'view')
    await eventually(list, task)
  })

  test('of a grant where only whether there is a reference is asked', async () => {
    const list = await published('task', {
      filter: {
        and: [
          { field: '_id', op: 'Is', value: task.id },
          { field: 'meeting_id', op: 'Is not empty' },
        ],
      },
    })
    expect(await joined(list)).toEqual([])
    await share(app.api.post, `meeting/records/${meeting.id}`, app.userIds.member, 'view')
    await eventually(list, task)
  })

  test('of a grant on the records of the list', async () => {
    const list = await published('meeting', { filter: { field: 'title', op: 'Contains', value: word } })
    expect(await joined(list)).toEqual([])
    await share(app.api.post, `meeting/records/${meeting.id}`, app.userIds.member, 'view')
    await eventually(list, meeting)
  })

  test('of the role of the owner, and of an owner who is none any more', async () => {
    const owner = await app.addMember('admin', `owner-${nextNumber()}`)
    const list = await published('task', byTitle(), owner.as)
    await eventually(list, task)
    const own = `/workspaces/acme/users/${owner.id}`
    expect((await app.api.patch(own, { body: { role: 'member' } })).status).toBe(200)
    await eventually(list)
    await app.api.patch(own, { body: { role: 'admin' } })
    await eventually(list, task)
    expect((await app.api.delete(own)).status).toBeLessThan(300)
    await eventually(list)
    await share(app.api.post, `meeting/records/${meeting.id}`, 'workspace', 'view')
    await eventually(list, task)
  })

  test('of the object', async () => {
    const object = await schemasOf(app).make({
      name: { type: 'string', xSvcPrimary: true },
      tasks: { xSvcRelationship: { kind: 'one-to-many', entity: 'task', field: `secret_${nextNumber()}_id` } },
    })
    const changes = changesOf(app)
    await changes.edit(object, (_, document) => (document.xSvcAccess = { default: 'none' }))
    const hidden = await ofAdmin.create(object, { name: word })
    const list = await published(object, { filter: { field: 'name', op: 'Is', value: word } })
    expect(await joined(list)).toEqual([])
    await changes.edit(object, (_, document) => (document.xSvcAccess = { default: 'view' }))
    await eventually(list, hidden)
    await changes.edit(object, (_, document) => (document.xSvcAccess = { default: 'none' }))
    await eventually(list)
  })
})

test('a list of a workspace key has what is open to the workspace', async () => {
  const list = await published('task', byTitle(), 'workspaceKey')
  expect(await joined(list)).toEqual([])
  await share(app.api.post, `meeting/records/${meeting.id}`, 'workspace', 'view')
  await eventually(list, task)
})

test(
  'what a list consists of is not changed by others who may edit it: it would be asked with the rights of its ' +
    'owner',
  async () => {
    const list = await published('task', { filter: { field: 'title', op: 'Is', value: 'nothing' } }, 'admin', {
      permission: 'workspace_edit',
    })
    const [ofMember, ofAdmins] = [listsOf(app, 'member'), listsOf(app, 'admin')]
    const refused = await ofMember.patch('task', list, { query: byTitle() })
    expect([refused.status, refused.body.errors[0].code]).toEqual([403, 'forbidden'])
    expect(
      (
        await ofMember.patch('task', list, {
          title: 'Ours',
          query: { filter: { field: 'title', op: 'Is', value: 'nothing' } },
        })
      ).status,
    ).toBe(200)
    expect((await ofAdmins.patch('task', list, { query: byTitle() })).status).toBe(200)
    await eventually(list, task)
  },
)
