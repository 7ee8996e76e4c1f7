import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { freshAddress, pointersOf, recordsOf, recordsPath, unknownId } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)
const items = (...list: string[]) => ({ items: list })
const text = (word: string) => ({ type: 'paragraph', content: [{ type: 'text', text: word }] })
const words = (value: Json) => value.text.map((block: Json) => block.content[0].text)

test('absent attributes stay, null clears, the version and who changed it are kept', async () => {
  const before = await records.create('person', { job_title: 'Senator', location: 'WA', labels: items('a') })
  await app.events()
  await app.advance(1000)
  const { status, headers, body } = await records.patch(
    'person',
    before.id,
    { location: null, labels: null, job_title: 'Governor' },
    {},
    { as: 'admin' },
  )
  expect([status, headers['etag']]).toEqual([200, '"2"'])
  expect(body.data.attributes).toEqual({
    ...before.attributes,
    job_title: 'Governor',
    location: null,
    labels: { items: [] },
    _updated_at: expect.any(String),
    _updated_by: app.userIds.admin,
  })
  expect(body.data.attributes._updated_at > before.attributes._updated_at).toBe(true)
  expect((await records.get('person', before.id)).body.data).toEqual(body.data)
  const diff = [
    { op: 'update', path: ['job_title'], val: 'Governor', oldVal: 'Senator' },
    { op: 'delete', path: ['location'], val: null, oldVal: 'WA' },
    { op: 'delete', path: ['labels'], val: null, oldVal: items('a') },
  ]
  expect(await app.events()).toEqual([
    {
      type: 'record.updated',
      object: 'person',
      record_id: before.id,
      silent: false,
      actor: { id: app.userIds.admin, kind: 'user' },
      payload: { diff },
    },
  ])
})

describe('a write that changes nothing leaves no trace', () => {
  const address = freshAddress()
  const attributes = {
    job_title: 'Senator',
    email_addresses: items(address),
    name: { first_name: 'Ada', last_name: 'King' },
    labels: items('b', 'a'),
  }
  const same: [string, Json, Json?][] = [
    ['no attributes', {}],
    ['the same', attributes],
    ['the same in another spelling', { email_addresses: items(address.toUpperCase()) }],
    ['null for what is empty', { location: null, phone_numbers: items(), description: '' }],
    ['appending what is there', { labels: items('a') }, { labels: { collection: 'append' } }],
    ['removing what is not there', { labels: items('z') }, { labels: { collection: 'remove' } }],
    ['merging what is there', { name: { first_name: 'Ada' } }, { name: { object: 'merge' } }],
  ]
  test.for(same)('%s', async ([, change, meta]) => {
    const { body: found } = await records.list('person', { 'filter[email_addresses]': address })
    const before = found.data[0] ?? (await records.create('person', attributes))
    await app.events()
    await app.advance(1000)
    const { status, headers, body } = await records.patch('person', before.id, change, meta && { meta })
    expect([status, headers['etag'], body.data]).toEqual([200, '"1"', before])
    expect(await app.events()).toEqual([])
  })
})

describe('write strategies', () => {
  test('of a collection: append is a union, remove takes out, replace is the default', async () => {
    const [one, two, three] = [freshAddress(), freshAddress(), freshAddress()]
    const { id } = await records.create('person', { email_addresses: items(one, two), labels: items('x') })
    const write = async (list: string[], strategy?: string) =>
      (
        await records.patch(
          'person',
          id,
          { email_addresses: items(...list) },
          strategy === undefined ? {} : { meta: { email_addresses: { collection: strategy } } },
        )
      ).body.data.attributes
    expect((await write([two.toUpperCase(), three], 'append')).email_addresses).toEqual(items(one, two, three))
    expect((await write([one.toUpperCase()], 'remove')).email_addresses).toEqual(items(two, three))
    expect((await records.post('person', { email_addresses: items(one) })).status, 'a removed value is free').toBe(201)
    expect((await write([three], 'replace')).email_addresses).toEqual(items(three))
    expect((await write([two])).email_addresses).toEqual(items(two))
    expect(await write([two], 'remove')).toMatchObject({ email_addresses: items(), labels: items('x') })
    expect((await write([two], 'append')).email_addresses).toEqual(items(two))
  })

  test('of a rich text: append adds blocks', async () => {
    const { id } = await records.create('task', { title: 'Call', description: { text: [text('one')] } })
    const { body } = await records.patch(
      'task',
      id,
      { description: { text: [text('two')] } },
      { meta: { description: { array: 'append' } } },
    )
    expect(words(body.data.attributes.description)).toEqual(['one', 'two'])
    expect(
      words(
        (await records.patch('task', id, { description: { text: [text('three')] } })).body.data.attributes.description,
      ),
    ).toEqual(['three'])
  })

  test('of a name: merge keeps the other parts and makes the full name again', async () => {
    const { id } = await records.create('person', { name: { first_name: 'Ada', last_name: 'Byron' } })
    const merge = async (name: Json) =>
      (await records.patch('person', id, { name }, { meta: { name: { object: 'merge' } } })).body.data.attributes.name
    expect(await merge({ last_name: 'King' })).toEqual({ first_name: 'Ada', last_name: 'King', full_name: 'Ada King' })
    expect(await merge({ full_name: 'Countess of Lovelace' })).toEqual({
      first_name: 'Ada',
      last_name: 'King',
      full_name: 'Countess of Lovelace',
    })
    expect((await records.patch('person', id, { name: { first_name: 'Ada' } })).body.data.attributes.name).toEqual({
      first_name: 'Ada',
      last_name: null,
      full_name: 'Ada',
    })
  })

  test('of a location: merge puts members together', async () => {
    const { id } = await records.create('person', { location: { city: 'London', zip: 'E1' } })
    const { body } = await records.patch(
      'person',
      id,
      { location: { zip: 'N1', country: 'UK' } },
      { meta: { location: { object: 'merge' } } },
    )
    expect(body.data.attributes.location).toEqual({ city: 'London', zip: 'N1', country: 'UK' })
    const merge = async (location: Json) =>
      (await records.patch('person', id, { location }, { meta: { location: { object: 'merge' } } })).body.data
        .attributes
    expect((await merge({ city: null, zip: null })).location).toEqual({ country: 'UK' })
    expect((await merge({ country: null })).location).toBeNull()
  })

  const wrong: [string, Json, string][] = [
    ['of a field that is not there', { nothing: { collection: 'append' } }, '/meta/nothing'],
    ['of another shape', { job_title: { collection: 'append' } }, '/meta/job_title/collection'],
    ['an array for a collection', { labels: { array: 'append' } }, '/meta/labels/array'],
    ['that is none', { labels: { collection: 'prepend' } }, '/meta/labels/collection'],
    ['to one more member', { labels: { collection: 'append', bogus: 1 } }, '/meta/labels/bogus'],
  ]
  test.for(wrong)('%s: 422', async ([, meta, pointer]) => {
    const { id } = await records.create('person', {})
    await app.events()
    const answer = await records.patch('person', id, { labels: items('x') }, { meta })
    expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]])
    expect(await app.events()).toEqual([])
  })
})

describe('refused', () => {
  const cases: [string, string, Json, string[]][] = [
    [
      'system attributes',
      'person',
      { _updated_at: '2026-01-01T00:00:00.000Z', _id: unknownId },
      ['/data/attributes/_updated_at', '/data/attributes/_id'],
    ],
    ['unknown attributes', 'person', { nothing: 1 }, ['/data/attributes/nothing']],
    ['a relationship to many', 'person', { deals: [] }, ['/data/attributes/deals']],
    ['clearing what is required', 'task', { title: null }, ['/data/attributes/title']],
    [
      'every fault at once',
      'task',
      { title: 5, due_date: 'x' },
      ['/data/attributes/title', '/data/attributes/due_date'],
    ],
  ]
  test.for(cases)('%s: 422, and nothing happens', async ([, object, attributes, pointers]) => {
    const before = await records.create(object, object === 'task' ? { title: 'Call' } : {})
    await app.events()
    const answer = await records.patch(object, before.id, attributes)
    expect([answer.status, pointersOf(answer)]).toEqual([422, pointers])
    expect((await records.get(object, before.id)).body.data).toEqual(before)
    expect(await app.events()).toEqual([])
  })

  test('another id or type than the path has', async () => {
    const { id } = await records.create('person', {})
    const patch = (data: Json) =>
      app.api.patch(`${recordsPath('person')}/${id}`, { body: { data: { type: 'person', attributes: {}, ...data } } })
    expect(pointersOf(await patch({ id: unknownId }))).toEqual(['/data/id'])
    expect(pointersOf(await patch({ type: 'company' }))).toEqual(['/data/type'])
    expect((await patch({ id, type: 'record' })).status).toBe(200)
  })

  test('a record of another object, or a deleted one', async () => {
    const { id } = await records.create('company', {})
    expect((await records.patch('person', id, {})).status).toBe(404)
    await app.api.delete(`${recordsPath('company')}/${id}`)
    expect((await records.patch('company', id, { name: 'x' })).status).toBe(404)
  })

  test('a unique value that another record has; its own is fine', async () => {
    const [mine, theirs] = [freshAddress(), freshAddress()]
    const { id } = await records.create('person', { email_addresses: items(mine) })
    const other = await records.create('person', { email_addresses: items(theirs) })
    await app.events()
    const { status, body } = await records.patch('person', id, { email_addresses: items(mine, theirs) })
    expect([status, body.errors[0].code, body.errors[0].meta]).toMatchObject([
      409,
      'unique_violation',
      { field: 'email_addresses', existing_id: other.id },
    ])
    expect(await app.events()).toEqual([])
    expect((await records.patch('person', id, { email_addresses: items(freshAddress(), mine) })).status).toBe(200)
  })

  test('user records, which the API does not write', async () => {
    expect((await records.patch('user', app.userIds.member, { name: 'x' }, {}, { as: 'admin' })).status).toBe(403)
    expect((await app.api.delete(`${recordsPath('user')}/${app.userIds.member}`)).status).toBe(403)
  })
})

test('a changed reference moves the link', async () => {
  const [one, two] = await records.createMany('company', [{}, {}])
  const { id } = await records.create('person', { company_id: one.id })
  const { body } = await records.patch('person', id, { company_id: two.id })
  expect(body.data.relationships.company_id.data).toEqual({ type: 'company', id: two.id })
  await app.api.delete(`${recordsPath('company')}/${one.id}`)
  expect((await records.get('person', id)).body.data.attributes.company_id).toBe(two.id)
})
