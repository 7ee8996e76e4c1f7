import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { logOf } from '../harness/events.ts'
import { share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { nextNumber, recordsOf, recordsPath, unknownId } from '../harness/records.ts'

const app = await startApp()
const { api, userIds } = app
const log = logOf(app)
const records = recordsOf(app)
const colleague = await app.addMember('member', 'colleague')
const W = '/workspaces/acme'

/** The short form of an event. */
const brief = ({ type, record_id }: Json): string => `${type} ${record_id}`

const update = (object: string, id: string, attributes: Json) =>
  api.patch(`${recordsPath(object)}/${id}`, { as: 'member', body: { data: { type: object, attributes } } })

const keyOf = async (...scopes: string[]): Promise<Caller> => ({
  authorization: `api-key ${(await createKey(api.post, 'admin', { scopes })).key}`,
})

test('tells what happened, in order, with who did it and what changed', async () => {
  const before = await log.end()
  const { id } = await records.create('deal', { name: 'Big' })
  await api.patch(`${recordsPath('deal')}/${id}`, {
    as: 'memberKey',
    query: { silent: 'true' },
    body: { data: { type: 'deal', attributes: { name: 'Bigger' } } },
  })
  await api.delete(`${recordsPath('deal')}/${id}`)
  const events = await log.since(before)
  expect(events.map(({ sequence }) => sequence - before)).toEqual([1, 2, 3])
  expect(events.map(brief)).toEqual([`record.created ${id}`, `record.updated ${id}`, `record.deleted ${id}`])
  expect(events[1]).toEqual({
    sequence: before + 2,
    type: 'record.updated',
    object: 'deal',
    record_id: id,
    actor: { _id: userIds.member, entity: 'user' },
    silent: true,
    created_at: expect.stringMatching(/Z$/),
    data: { diff: [{ op: 'update', path: ['name'], val: 'Bigger', oldVal: 'Big' }] },
  })
  expect(events[0].data.diff).toContainEqual({ op: 'add', path: ['name'], val: 'Big', oldVal: null })
})

test('pages end where they say, and their links lead on to the end', async () => {
  const before = await log.end()
  await records.createMany('deal', [{}, {}, {}])
  await log.end()
  const first = await log.page({ after: String(before), limit: '2' })
  expect(first.data).toHaveLength(2)
  expect(first.meta).toEqual({
    next_after: before + 2,
    first_sequence: 1,
    last_sequence: (await log.page()).meta.last_sequence,
  })
  const { body: second } = await api.get(first.links.next)
  expect(second.data.map(({ attributes }: Json) => attributes.sequence)).toEqual([before + 3, before + 4])
  expect(second.links.next).toBeNull()
  const { body: last } = await api.get(`${W}/events`, { query: { after: String(second.meta.next_after) } })
  expect(last).toEqual({ data: [], meta: second.meta, links: { next: null } })
})

test('is filtered by type, object and record', async () => {
  const before = await log.end()
  const [one, two] = [await records.create('deal', {}), await records.create('person', {})]
  await update('person', two.id, { job_title: 'Admiral' })
  const some = async (query: Record<string, string>) => (await log.since(before, 'admin', query)).map(brief)
  expect(await some({ 'filter[object]': 'deal' })).toEqual([`record.created ${one.id}`])
  expect(await some({ 'filter[type]': 'record.updated,record.deleted' })).toEqual([`record.updated ${two.id}`])
  expect(await some({ 'filter[record]': two.id })).toEqual([`record.created ${two.id}`, `record.updated ${two.id}`])
  expect(await some({ 'filter[record]': two.id, 'filter[object]': 'deal' })).toEqual([])
  expect(await some({ 'filter[record]': unknownId })).toEqual([])
  expect(await some({ 'filter[record]': 'no id' })).toEqual([])
  const { status, body } = await api.get(`${W}/events`, { query: { 'filter[type]': 'record.painted' } })
  expect([status, body.errors[0].source.parameter]).toEqual([400, expect.stringMatching(/^filter\[type\]/)])
})

test('hidden records are not in it, whatever happens to them, nor where others name them', async () => {
  const before = await log.end()
  const { id: meeting } = await records.create('meeting', { title: `Talk ${nextNumber()}` })
  const { id: person } = await records.create('person', {})
  const links = `${recordsPath('person')}/${person}/relationships/meetings`
  expect((await api.post(links, { as: 'member', body: { data: [{ type: 'meeting', id: meeting }] } })).status).toBe(200)
  await update('meeting', meeting, { title: 'Another' })
  const all = [
    `record.created ${meeting}`,
    `record.created ${person}`,
    `relationship.set ${person}`,
    `relationship.set ${meeting}`,
    `record.updated ${meeting}`,
  ]
  const told = async (as: Caller) => (await log.since(before, as)).map(brief).toSorted()
  for (const as of ['admin', 'member', 'memberKey'] as const) expect(await told(as)).toEqual(all.toSorted())
  const open = [`record.created ${person}`]
  for (const as of [colleague.as, 'viewer', 'workspaceKey'] as const) expect(await told(as)).toEqual(open)
  await share(api.post, `meeting/records/${meeting}`, colleague.id, 'view', 'member')
  // A person who may see it now is told what happened before.
  expect(await told(colleague.as)).toEqual([...all, `access.granted ${meeting}`].toSorted())
  await api.delete(`${recordsPath('meeting')}/${meeting}`, { as: 'member' })
  expect(await told(colleague.as)).toContain(`record.deleted ${meeting}`)
  expect(await told('viewer')).toEqual(open)
})

test('a credential that is limited to scopes is told what it could read by them', async () => {
  const before = await log.end()
  const { id: person } = await records.create('person', {})
  const { id: deal } = await records.create('deal', {})
  const message = [{ type: 'paragraph', content: [{ type: 'text', text: 'Hello' }] }]
  await api.post(`${W}/comments`, { body: { entity: 'person', owner_id: person, message } })
  const invited = await api.post(`${W}/invitations`, { body: { email: `someone-${nextNumber()}@example.com` } })
  const told = async (...scopes: string[]) => {
    const as = await keyOf('events:read', ...scopes)
    return (await log.since(before, as)).map(brief).filter((one) => !one.startsWith('api_key'))
  }
  expect(await told()).toEqual([])
  expect(await told('records:read:person')).toEqual([`record.created ${person}`])
  expect(await told('records:read')).toEqual([`record.created ${person}`, `record.created ${deal}`])
  expect(await told('comments:read')).toEqual([])
  expect(await told('records:read:person', 'comments:read')).toEqual([
    `record.created ${person}`,
    `comment.created ${person}`,
  ])
  expect(await told('members:read')).toEqual([`member.invited ${invited.body.data.id}`])
  expect((await api.get(`${W}/events`, { as: await keyOf('records:read') })).status).toBe(403)
})

test('keys are told of to their owner, keys of the workspace to admins, and secrets to no caller', async () => {
  const before = await log.end()
  const own = await createKey(api.post, 'member')
  const shared = await createKey(api.post, 'admin', { kind: 'workspace' })
  await api.post(`${W}/api-keys/${own.id}/rotate`, { as: 'member', body: { overlap_hours: 0 } })
  await api.delete(`${W}/api-keys/${shared.id}`)
  const told = async (as: Caller) => (await log.since(before, as)).map(brief)
  expect(await told('member')).toEqual([`api_key.created ${own.id}`, `api_key.rotated ${own.id}`])
  expect(await told('admin')).toEqual([`api_key.created ${shared.id}`, `api_key.revoked ${shared.id}`])
  expect(await told('viewer')).toEqual([])
  expect(JSON.stringify(await log.since(before, 'member'))).not.toContain(own.key.slice(-20))
})

test('lists that are not shared are not in it, nor what joins them', async () => {
  const before = await log.end()
  const { id: person } = await records.create('person', {})
  const { body } = await api.post(`${W}/objects/person/lists`, {
    as: 'member',
    body: { title: 'Mine', type: 'static', permission: 'private' },
  })
  const list = body.data.id
  await api.post(`${W}/objects/person/lists/${list}/resources`, {
    as: 'member',
    body: { data: [{ type: 'person', id: person }] },
  })
  const told = async (as: Caller) => (await log.since(before, as)).map(brief)
  expect(await told('member')).toEqual([
    `record.created ${person}`,
    `list.created ${list}`,
    `list.entry_added ${person}`,
  ])
  expect(await told(colleague.as)).toEqual([`record.created ${person}`])
})

test('another workspace has a log of its own', async () => {
  expect((await api.get(`${W}/events`, { as: 'stranger' })).status).toBe(404)
  const { body } = await api.get('/workspaces/other/events', { as: 'stranger' })
  expect(JSON.stringify(body)).not.toContain(userIds.member)
})

test('a position that is not there yet is refused', async () => {
  const { meta } = await log.page()
  const { status, body } = await api.get(`${W}/events`, { query: { after: String(meta.last_sequence + 1) } })
  expect([status, body.errors[0].source]).toEqual([400, { parameter: 'after' }])
})

test('events are kept for 30 days; who asks for what came right after one that is gone is told so', async () => {
  const { id } = await records.create('deal', {})
  const last = await log.end()
  await app.advance(31 * 24 * 3_600_000)
  await expect.poll(async () => (await log.page()).meta.first_sequence).toBeGreaterThan(last)
  await update('deal', id, { name: 'Later' })
  const expired = await api.get(`${W}/events`, { query: { after: String(last - 1) } })
  expect([expired.status, expired.body.errors[0].code]).toEqual([410, 'events_expired'])
  expect(expired.body.errors[0].meta).toMatchObject({ first_sequence: last + 1 })
  expect((await log.since(last)).map(brief)).toEqual([`record.updated ${id}`])
  expect((await log.page()).data[0].attributes.sequence).toBe(last + 1)
})
