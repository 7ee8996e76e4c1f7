import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { activitiesOf } from '../harness/activities.ts'
import { commentsOf } from '../harness/comments.ts'
import type { Json } from '../harness/http.ts'
import { freshAddress, pointersOf, recordsOf, recordsPath, unknownId } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)
const feed = activitiesOf(app)
const comments = commentsOf(app)
const items = (...list: string[]) => ({ items: list })
const days = (count: number) => count * 24 * 3_600_000

const { restore } = records
const remove = (object: string, ...ids: string[]) => records.remove(object, ids)

test('a record comes back as it was, everywhere at once, and says so', async () => {
  const address = freshAddress()
  const made = await records.create('person', {
    name: { first_name: 'Ann', last_name: 'Lee' },
    email_addresses: items(address),
    job_title: 'Clerk',
  })
  const said = await comments.create('person', made.id, 'Stays')
  await remove('person', made.id)
  const before = await records.count('person')
  await app.events()
  const { status, body } = await restore('person', [made.id])
  const { _updated_at, ...attributes } = made.attributes
  expect([status, body]).toEqual([
    200,
    { data: [{ ...made, attributes: { ...attributes, _updated_at: expect.any(String) } }] },
  ])
  expect(body.data[0].attributes._updated_at >= _updated_at).toBe(true)
  expect(await app.events()).toEqual([
    {
      type: 'record.restored',
      object: 'person',
      record_id: made.id,
      silent: false,
      actor: { id: app.userIds.member, kind: 'user' },
      payload: {},
    },
  ])
  const { body: got, headers } = await records.get('person', made.id)
  expect([got.data, headers['etag']]).toEqual([body.data[0], '"3"'])
  expect(await records.count('person')).toBe(before + 1)
  expect((await records.list('person', { 'filter[email_addresses]': address })).body.data).toEqual(body.data)
  expect(
    (
      await records.list('person', { 'sortOrder[column]': 'name', 'sortOrder[dir]': 'ASC', 'page[limit]': 1000 })
    ).body.data.map(({ id }: Json) => id),
  ).toContain(made.id)
  expect((await records.post('person', { email_addresses: items(address) })).body.errors[0].meta.existing_id).toBe(
    made.id,
  )
  expect((await comments.get(said._id)).status).toBe(200)
})

test('who deleted and who restored stands in its activities, with what happened', async () => {
  const { id } = await records.create('person', {})
  await remove('person', id)
  await restore('person', [id], { as: 'admin' })
  const told = (await feed.all('person', id)).map(
    ({
      attributes: {
        data: [event],
      },
    }) => [event.type, event.actor._id, event.object.diff],
  )
  expect(told).toEqual([
    ['svc:restore', app.userIds.admin, [{ op: 'add', path: ['_id'], val: id, oldVal: null }]],
    ['svc:delete', app.userIds.member, [{ op: 'delete', path: ['_id'], val: null, oldVal: id }]],
    ['svc:create', app.userIds.member, []],
  ])
})

test('who polls by _updated_at meets it', async () => {
  const { id } = await records.create('person', {})
  await remove('person', id)
  await app.advance(1000)
  const since = new Date(app.now()).toISOString()
  await restore('person', [id])
  expect(
    (await records.list('person', { 'filter[_updated_at][Is on or after]': since })).body.data.map(
      (one: Json) => one.id,
    ),
  ).toEqual([id])
})

describe('all or none', () => {
  test('unique values that another record has taken: 409 that names every item and who has them', async () => {
    const addresses = [freshAddress(), freshAddress(), freshAddress()]
    const made = await records.createMany(
      'person',
      addresses.map((address) => ({ email_addresses: items(address) })),
    )
    await remove('person', ...made.map(({ id }) => id))
    const [first, third] = await records.createMany('person', [
      { email_addresses: items(addresses[0]!.toUpperCase()) },
      { email_addresses: items(freshAddress(), addresses[2]!) },
    ])
    await app.events()
    const answer = await restore(
      'person',
      made.map(({ id }) => id),
    )
    expect([answer.status, pointersOf(answer)]).toEqual([409, ['/items/0', '/items/2']])
    expect(answer.body.errors.map(({ code, meta }: Json) => [code, meta])).toEqual([
      ['unique_violation', { field: 'email_addresses', value: addresses[0], existing_id: first.id }],
      ['unique_violation', { field: 'email_addresses', value: addresses[2], existing_id: third.id }],
    ])
    expect(await app.events()).toEqual([])
    expect((await records.get('person', made[1].id)).status).toBe(404)
    expect((await restore('person', [made[1].id])).status).toBe(200)
  })

  test('two that were deleted one after the other with one value', async () => {
    const address = freshAddress()
    const ids: string[] = []
    for (const _ of [1, 2]) {
      const { id } = await records.create('person', { email_addresses: items(address) })
      await remove('person', id)
      ids.push(id)
    }
    const answer = await restore('person', ids)
    expect([answer.status, pointersOf(answer)]).toEqual([409, ['/items/1']])
  })

  test('what is not deleted, unknown, of another object or no id at all: 404 with its ids', async () => {
    const [live, deleted] = await records.createMany('person', [{}, {}])
    const company = await records.create('company', {})
    await remove('person', deleted.id)
    await remove('company', company.id)
    await app.events()
    for (const wrong of [live.id, unknownId, company.id, 'nothing']) {
      const { status, body } = await restore('person', [deleted.id, wrong])
      expect([status, body.errors[0].code, body.errors[0].meta]).toEqual([404, 'not_found', { ids: [wrong] }])
      expect((await restore('person', [wrong])).body.errors[0].meta).toEqual({ ids: [wrong] })
    }
    expect(await app.events()).toEqual([])
  })

  test('an id given twice counts once, and its second restore is 404', async () => {
    const { id } = await records.create('person', {})
    await remove('person', id)
    const before = await records.count('person')
    expect((await restore('person', [id, id])).body.data).toHaveLength(1)
    expect(await records.count('person')).toBe(before + 1)
    expect((await restore('person', [id])).status).toBe(404)
  })

  test('after 30 days nothing comes back', async () => {
    const { id } = await records.create('person', {})
    const other = await records.create('person', {})
    await remove('person', id)
    await app.advance(days(30) - 60_000)
    await remove('person', other.id)
    expect((await restore('person', [id], { query: { dry_run: true } })).status).toBe(200)
    await app.advance(120_000)
    expect((await restore('person', [other.id, id])).body.errors[0].meta).toEqual({ ids: [id] })
    expect((await restore('person', [other.id])).status).toBe(200)
  })
})

describe('who may', () => {
  test('only those who may change it; others do not learn that it was there', async () => {
    const { id } = await records.create('meeting', { title: 'Secret' })
    await remove('meeting', id)
    expect((await restore('meeting', [id], { as: 'workspaceKey' })).status).toBe(404)
    expect((await restore('meeting', [id])).status).toBe(200)
    const ofAdmin = await records.create('meeting', {}, { as: 'admin' })
    await app.api.delete(`${recordsPath('meeting')}/${ofAdmin.id}`)
    expect((await restore('meeting', [ofAdmin.id])).status).toBe(404)
    expect((await restore('meeting', [ofAdmin.id], { as: 'admin' })).status).toBe(200)
  })

  test('members are not restored', async () => {
    expect((await restore('user', [app.userIds.viewer], { as: 'admin' })).status).toBe(403)
  })
})

test('a dry run tells what would come back, and nothing does', async () => {
  const company = await records.create('company', {})
  const person = await records.create('person', { company_id: company.id })
  await remove('company', company.id)
  await app.events()
  const { status, body } = await restore('company', [company.id], { query: { dry_run: true } })
  expect([status, body.meta]).toEqual([
    200,
    { dry_run: true, diff: [{ op: 'add', path: ['_id'], val: company.id, oldVal: null, record_id: company.id }] },
  ])
  expect((await records.get('company', company.id)).status).toBe(404)
  expect((await records.get('person', person.id)).body.data.attributes.company_id).toBeNull()
  expect(await app.events()).toEqual([])
})
