import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Answer, Json } from '../harness/http.ts'
import { freshAddress, nextNumber, pointersOf, recordsOf, recordsPath } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'

const app = await startApp()
const records = recordsOf(app)
const items = (...list: unknown[]) => ({ items: list })

const parcel = await schemasOf(app).make({
  code: { xSvcType: 'text', xSvcPrimary: true, xSvcUnique: true },
  data: { xSvcType: 'json' },
  guests: { xSvcType: 'participants' },
  tags: { xSvcType: 'labels', maxItems: 3 },
  needed: { xSvcType: 'labels' },
})

type Send = (object: string, matchOn: string, attributes: Json, more?: Json) => Promise<Answer>

const single: Send = (object, match_on, attributes, more = {}) =>
  records.post(object, attributes, { match_on, ...more })

const bulk =
  (atomic: boolean): Send =>
  async (object, match_on, attributes, more = {}) => {
    const { status, headers, body } = await app.api.post(`${recordsPath(object)}/bulk`, {
      as: 'member',
      query: { atomic },
      body: { data: [{ type: object, attributes }], match_on, ...more },
    })
    if (status >= 400) return { status, headers, body }
    const result = atomic ? { status, data: body.data[0] } : body.results[0]
    return { status: result.status, headers, body: result }
  }

const ways: [string, Send][] = [
  ['one', single],
  ['in a bulk', bulk(true)],
  ['item by item', bulk(false)],
]

describe.for(ways)('an upsert of %s', ([, send]) => {
  const valuesOf = async (object: string, matchOn: string, attributes: Json, more?: Json): Promise<Json> =>
    (await send(object, matchOn, attributes, more)).body.data.attributes

  test('by one of two addresses leaves the other, so that it is found by both', async () => {
    const [work, home, third] = [freshAddress(), freshAddress(), freshAddress()]
    const { id } = await records.create('person', {
      email_addresses: items(work, home),
      phone_numbers: items('+41446681800'),
    })
    const upsert = (...list: string[]) => send('person', 'email_addresses', { email_addresses: items(...list) })
    expect((await upsert(home, third)).body.data).toMatchObject({
      id,
      attributes: { email_addresses: items(home, third, work), phone_numbers: items('+41446681800') },
    })
    expect((await upsert(work.toUpperCase())).body.data).toMatchObject({
      id,
      attributes: { email_addresses: items(work, home, third) },
    })
  })

  test('of a company by one of its domains leaves the others', async () => {
    const [one, two] = [`a${nextNumber()}.example`, `b${nextNumber()}.example`]
    const { id } = await records.create('company', { domains: items(one, two), labels: items('x') })
    for (const domain of [two, one, two])
      expect(
        (await send('company', 'domains', { domains: items(domain), labels: items('y') })).body.data,
      ).toMatchObject({
        id,
        attributes: { domains: items(domain, domain === one ? two : one), labels: items('y', 'x') },
      })
  })

  test('leaves parts of a name, a location and an object that are absent, and clears those that are null', async () => {
    const email_addresses = items(freshAddress())
    await records.create('person', {
      email_addresses,
      name: { first_name: 'Ada', last_name: 'Lovelace' },
      location: { city: 'London', zip: 'E1', geo: { lat: 1, lng: 2 } },
    })
    const upsert = (attributes: Json) => valuesOf('person', 'email_addresses', { email_addresses, ...attributes })
    expect(await upsert({ name: { last_name: 'King' }, location: { zip: 'N1' } })).toMatchObject({
      name: { first_name: 'Ada', last_name: 'King', full_name: 'Ada King' },
      location: { city: 'London', zip: 'N1', geo: { lat: 1, lng: 2 } },
    })
    expect((await upsert({ name: { full_name: 'Countess of Lovelace' } }))['name']).toEqual({
      first_name: 'Ada',
      last_name: 'King',
      full_name: 'Countess of Lovelace',
    })
    expect((await upsert({ name: { first_name: 'Augusta' } }))['name'], 'a full name that was given').toEqual({
      first_name: 'Augusta',
      last_name: 'King',
      full_name: 'Countess of Lovelace',
    })
    expect((await upsert({ name: { last_name: null, full_name: null } }))['name']).toEqual({
      first_name: 'Augusta',
      last_name: null,
      full_name: 'Augusta',
    })
    expect(await upsert({ name: {}, location: 'Paris' })).toMatchObject({
      name: { first_name: 'Augusta' },
      location: 'Paris',
    })
    expect(await upsert({ name: null, location: null })).toMatchObject({ name: null, location: null })
  })

  test('joins JSON objects and participants member by member, and what is sent empty takes nothing away', async () => {
    const code = `P-${nextNumber()}`
    const guest = { email: 'ada@example.com', name: 'Ada', status: 'accepted' }
    await send(parcel, 'code', { code, data: { a: 1, b: { c: 2 }, gone: 1 }, guests: items(guest), tags: items('x') })
    const upsert = (attributes: Json) => valuesOf(parcel, 'code', { code, ...attributes })
    expect(
      await upsert({
        data: { b: { d: 3 }, gone: null },
        guests: items('new@example.com', { email: 'ADA@example.com', status: 'declined' }),
        tags: items(),
      }),
    ).toMatchObject({
      data: { a: 1, b: { d: 3 } },
      guests: items({ email: 'new@example.com' }, { ...guest, status: 'declined' }),
      tags: items('x'),
    })
    expect(await upsert({ data: [1], tags: null })).toMatchObject({ data: [1], tags: items() })
  })

  test('checks what it would store, and says where', async () => {
    const code = `P-${nextNumber()}`
    await send(parcel, 'code', { code, tags: items('a', 'b') })
    const { status, body } = await send(parcel, 'code', { code, tags: items('c', 'd') })
    expect([status, body.errors[0].source.pointer]).toEqual([
      422,
      send === single ? '/data/attributes/tags' : '/data/0/attributes/tags',
    ])
    expect((await send(parcel, 'code', { code, tags: items('b', 'c') })).body.data.attributes.tags).toEqual(
      items('b', 'c', 'a'),
    )
  })

  test('does as `meta` says instead', async () => {
    const code = `P-${nextNumber()}`
    const before = { code, data: { a: 1, b: 2 }, tags: items('x', 'y'), needed: items('n') }
    await send(parcel, 'code', before)
    const meta = {
      data: { object: 'replace' },
      tags: { collection: 'replace' },
      needed: { collection: 'append' },
    }
    const change = { code, data: { b: 3 }, tags: items('z'), needed: items('m') }
    expect(await valuesOf(parcel, 'code', change, { meta })).toMatchObject({
      data: { b: 3 },
      tags: items('z'),
      needed: items('n', 'm'),
    })
    const removal = { meta: { tags: { collection: 'remove' } } }
    expect(await valuesOf(parcel, 'code', { code, tags: items('z', 'q') }, removal)).toMatchObject({ tags: items() })
    const fresh = await send(parcel, 'code', { code: `${code}-new`, tags: items('z') }, removal)
    expect(fresh.body.data.attributes, 'nothing to take out of a new record').toMatchObject({ tags: items() })
  })

  test.for<[string, Json, string]>([
    ['a field that is not there', { nothing: { collection: 'replace' } }, '/meta/nothing'],
    ['another shape', { data: { collection: 'replace' } }, '/meta/data/collection'],
    ['an unknown strategy', { tags: { collection: 'unite' } }, '/meta/tags/collection'],
  ])('`meta` of %s: 422', async ([, meta, pointer]) => {
    const answer = await send(parcel, 'code', { code: `P-${nextNumber()}` }, { meta })
    expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]])
  })

  test('what records are found by is not removed from them', async () => {
    const meta = { email_addresses: { collection: 'remove' } }
    const answer = await send('person', 'email_addresses', { email_addresses: items(freshAddress()) }, { meta })
    expect([answer.status, pointersOf(answer)]).toEqual([422, ['/meta/email_addresses/collection']])
  })
})

test('`meta` without `match_on` is refused, since a new record is joined with nothing', async () => {
  const answer = await records.post(parcel, { code: 'P' }, { meta: { tags: { collection: 'append' } } })
  expect([answer.status, pointersOf(answer)]).toEqual([422, ['/meta']])
})

test('an upsert that is joined with one of the same body needs no more than that one', async () => {
  const address = freshAddress()
  const { status, body } = await app.api.post(`${recordsPath('person')}/bulk`, {
    as: 'member',
    body: {
      data: [
        [address, 'x'],
        [address.toUpperCase(), 'y'],
      ].map(([email, label]) => ({
        type: 'person',
        attributes: { email_addresses: items(email), labels: items(label) },
      })),
      match_on: 'email_addresses',
    },
  })
  expect([status, body.data[1].id, body.data[1].attributes.labels]).toEqual([201, body.data[0].id, items('y', 'x')])
})

test('an ordinary change replaces as before, and appending nothing changes nothing', async () => {
  const { id } = await records.create('person', { labels: items('x', 'y'), name: { first_name: 'A', last_name: 'B' } })
  const appended = await records.patch(
    'person',
    id,
    { labels: items() },
    { meta: { labels: { collection: 'append' } } },
  )
  expect([appended.headers['etag'], appended.body.data.attributes.labels]).toEqual(['"1"', items('x', 'y')])
  const { body } = await records.patch('person', id, { labels: items('z'), name: { last_name: 'C' } })
  expect(body.data.attributes).toMatchObject({
    labels: items('z'),
    name: { first_name: null, last_name: 'C', full_name: 'C' },
  })
})
