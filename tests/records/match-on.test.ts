import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { freshAddress, pointersOf, recordsOf, recordsPath } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'

const app = await startApp()
const records = recordsOf(app)

const items = (...list: string[]) => ({ items: list })
const upsert = (attributes: Json) => records.post('person', attributes, { match_on: 'email_addresses' })
const upsertMany = (rows: readonly Json[]) =>
  app.api.post(`${recordsPath('person')}/bulk`, {
    as: 'member',
    body: { data: rows.map((attributes) => ({ type: 'person', attributes })), match_on: 'email_addresses' },
  })

describe('match_on', () => {
  test('creates where nothing matches', async () => {
    const { status, headers } = await upsert({ email_addresses: items(freshAddress()), job_title: 'Senator' })
    expect([status, headers['etag']]).toEqual([201, '"1"'])
  })

  test('creates where there is no value to match', async () => {
    for (const attributes of [{}, { email_addresses: null }, { email_addresses: items() }])
      expect((await upsert(attributes)).status).toBe(201)
  })

  test('merges into what matches on any one item, in any spelling: what is absent stays', async () => {
    const [one, two] = [freshAddress(), freshAddress()]
    const { id } = await records.create('person', {
      email_addresses: items(one, two),
      job_title: 'Senator',
      location: 'WA',
    })
    await app.events()
    const { status, headers, body } = await upsert({ email_addresses: items(two.toUpperCase()), job_title: 'Governor' })
    expect([status, headers['etag'], body.data.id]).toEqual([200, '"2"', id])
    expect(body.data.attributes).toMatchObject({
      job_title: 'Governor',
      location: 'WA',
      email_addresses: items(two, one),
    })
    expect((await app.events()).map(({ type, record_id }) => [type, record_id])).toEqual([['record.updated', id]])
    expect((await upsert({ email_addresses: items(one) })).body.data.id, 'found by the other one as before').toBe(id)
  })

  test('leaves no trace where nothing differs', async () => {
    const attributes = { email_addresses: items(freshAddress()), job_title: 'Senator' }
    const before = (await upsert(attributes)).body.data
    await app.events()
    const again = await upsert(attributes)
    expect([again.status, again.headers['etag'], again.body.data]).toEqual([200, '"1"', before])
    expect(await app.events()).toEqual([])
  })

  test('409 match_ambiguous where several match, with the candidates', async () => {
    const [one, two] = [freshAddress(), freshAddress()]
    const ids = [
      await records.create('person', { email_addresses: items(one) }),
      await records.create('person', { email_addresses: items(two) }),
    ].map(({ id }) => id)
    await app.events()
    const { status, body } = await upsert({ email_addresses: items(one, two), job_title: 'Senator' })
    expect(status).toBe(409)
    expect(body.errors[0]).toMatchObject({
      code: 'match_ambiguous',
      source: { pointer: '/data/attributes/email_addresses' },
      meta: { field: 'email_addresses' },
    })
    expect(new Set(body.errors[0].meta.candidates)).toEqual(new Set(ids))
    expect(await app.events()).toEqual([])
  })

  test.for(['job_title', 'nothing', 'name', '_id', 'deals'])('%s is no unique field: 422', async (field) => {
    const answer = await records.post('person', {}, { match_on: field })
    expect([answer.status, pointersOf(answer)]).toEqual([422, ['/match_on']])
    expect(answer.body.errors[0].detail).toContain('email_addresses')
  })

  test('a required field may be absent where a record is merged into', async () => {
    const { id } = await records.create('deal', { name: 'First order', stage: 'Lead' })
    const { status, body } = await records.post('deal', { name: 'first ORDER', amount: 5 }, { match_on: 'name' })
    expect([status, body.data.id, body.data.attributes]).toEqual([
      200,
      id,
      expect.objectContaining({ name: 'first ORDER', stage: 'Lead', amount: 5 }),
    ])
  })

  test('merging may break another rule, and then nothing happens', async () => {
    const address = freshAddress()
    const { id } = await records.create('person', { email_addresses: items(address) })
    await app.events()
    expect(pointersOf(await upsert({ email_addresses: items(address), company_id: id }))).toEqual([
      '/data/attributes/company_id',
    ])
    expect(await app.events()).toEqual([])
  })

  test('does not find what is deleted', async () => {
    const address = freshAddress()
    const { id } = await records.create('person', { email_addresses: items(address) })
    await app.api.delete(`${recordsPath('person')}/${id}`)
    expect((await upsert({ email_addresses: items(address) })).status).toBe(201)
  })
})

describe('match_on in bulk', () => {
  test('merges and creates, in the order of the body', async () => {
    const [known, fresh] = [freshAddress(), freshAddress()]
    const { id } = await records.create('person', { email_addresses: items(known), location: 'WA' })
    const { status, body } = await upsertMany([
      { email_addresses: items(fresh), job_title: 'A' },
      { email_addresses: items(known), job_title: 'B' },
      { job_title: 'C' },
    ])
    expect(status).toBe(201)
    expect(body.data.map((one: Json) => one.attributes.job_title)).toEqual(['A', 'B', 'C'])
    expect(body.data[1]).toMatchObject({ id, attributes: { location: 'WA' } })
    expect((await upsertMany([{ email_addresses: items(fresh), job_title: 'A' }])).body.data[0].id).toBe(
      body.data[0].id,
    )
  })

  test('entries that share a value are one record, later ones merged into the first', async () => {
    const [one, two, three] = [freshAddress(), freshAddress(), freshAddress()]
    const before = await records.count('person')
    const { body } = await upsertMany([
      { email_addresses: items(one), job_title: 'First', location: 'WA' },
      { email_addresses: items(two) },
      { email_addresses: items(one, three), job_title: 'Second' },
      { email_addresses: items(one.toUpperCase()), job_title: 'Third' },
    ])
    expect(await records.count('person')).toBe(before + 2)
    expect(new Set([0, 2, 3].map((index) => body.data[index].id)).size).toBe(1)
    expect((await records.get('person', body.data[0].id)).body.data.attributes).toMatchObject({
      job_title: 'Third',
      location: 'WA',
      email_addresses: items(one, three),
    })
  })

  test('several that match one record are merged one after the other', async () => {
    const address = freshAddress()
    const { id } = await records.create('person', { email_addresses: items(address) })
    const { status, body } = await upsertMany(
      [1, 2, 3].map((round) => ({ email_addresses: items(address), job_title: `Round ${round}` })),
    )
    expect(status).toBe(201)
    expect(body.data.map((one: Json) => one.id)).toEqual([id, id, id])
    expect((await records.get('person', id)).body.data.attributes.job_title).toBe('Round 3')
  })

  test('an ambiguous one refuses all', async () => {
    const [one, two] = [freshAddress(), freshAddress()]
    await records.createMany('person', [{ email_addresses: items(one) }, { email_addresses: items(two) }])
    const before = await records.count('person')
    const { status, body } = await upsertMany([
      { email_addresses: items(freshAddress()) },
      { email_addresses: items(one, two) },
    ])
    expect([status, body.errors[0].source.pointer]).toEqual([409, '/data/1/attributes/email_addresses'])
    expect(await records.count('person')).toBe(before)
  })

  test('the same import twice changes nothing', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => ({
      email_addresses: items(freshAddress()),
      name: { first_name: 'P', last_name: String(index) },
    }))
    const first = await upsertMany(rows)
    await app.events()
    const second = await upsertMany(rows)
    expect(second.body.data).toEqual(first.body.data)
    expect(second.body.meta).toEqual({ created: 0, updated: 0, unchanged: 200 })
    expect(await app.events()).toEqual([])
  })
})

test('phone numbers match by their digits, however they were typed, and by country and extension', async () => {
  const object = await schemasOf(app).make({
    name: { type: 'string', xSvcPrimary: true },
    phones: { xSvcType: 'phone_numbers', xSvcUnique: true },
  })
  const call = async (name: string, ...phones: string[]) => {
    const { status, body } = await records.post(object, { name, phones: items(...phones) }, { match_on: 'phones' })
    expect(status, JSON.stringify(body)).toBeLessThan(300)
    return body.data.id as string
  }
  const london = await call('London', '0044 20 7946 0958')
  expect(await call('abroad', '+44 (0)20 7946 0958')).toBe(london)
  expect(await call('as before', '0044 20 7946 0958')).toBe(london)
  const local = await call('local', '(020) 7946-0958')
  expect([await call('spaced', '020 7946 0958'), local === london]).toEqual([local, false])
  const desk = await call('desk', '+44 20 7946 0958 ext. 5')
  expect([await call('the desk', '0044 20 7946 0958 x5'), desk === london]).toEqual([desk, false])
  const words = await call('words', '0044 20 7946 0958 (old)')
  expect(words).not.toBe(london)
  const taken = await records.post(object, { name: 'taken', phones: items('00 44 20 79 46 09 58') })
  expect([taken.status, taken.body.errors[0].code]).toEqual([409, 'unique_violation'])
  await records.remove(object, [london])
  expect(await call('next', '+442079460958')).not.toBe(london)
})
