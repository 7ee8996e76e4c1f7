import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { freshAddress, recordsOf, recordsPath, resourcesPath, unknownId } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)
const remove = (object: string, id: string) => app.api.delete(`${recordsPath(object)}/${id}`, { as: 'member' })
const removeMany = (object: string, items: readonly string[]) =>
  app.api.delete(recordsPath(object), { as: 'member', body: { items } })

test('one record goes everywhere at once', async () => {
  const address = freshAddress()
  const { id } = await records.create('person', { email_addresses: { items: [address] } })
  const before = await records.count('person')
  await app.events()
  const { status, body } = await remove('person', id)
  expect([status, body]).toEqual([200, {}])
  expect(await app.events()).toEqual([
    {
      type: 'record.deleted',
      object: 'person',
      record_id: id,
      silent: false,
      actor: { id: app.userIds.member, kind: 'user' },
      payload: {},
    },
  ])
  for (const path of [recordsPath('person'), resourcesPath('person')])
    expect((await app.api.get(`${path}/${id}`)).status).toBe(404)
  expect(await records.count('person')).toBe(before - 1)
  expect((await records.list('person', { 'filter[email_addresses]': address })).body.meta.total_records).toBe(0)
  expect((await remove('person', id)).status).toBe(404)
  expect((await records.post('person', { email_addresses: { items: [address] } })).status, 'its address is free').toBe(
    201,
  )
})

test('what referred to it refers to nothing, and says so', async () => {
  const company = await records.create('company', {})
  const deal = await records.create('deal', { company_id: company.id, stage: 'Won' })
  const people = await records.createMany('person', [{ company_id: company.id }, { company_id: company.id }, {}])
  await app.events()
  await remove('company', company.id)
  for (const [object, { id }] of [
    ['deal', deal],
    ['person', people[0]],
    ['person', people[1]],
  ] as const) {
    const { body, headers } = await records.get(object, id)
    expect([body.data.attributes.company_id, body.data.relationships.company_id, headers['etag']]).toEqual([
      null,
      { data: null },
      '"2"',
    ])
  }
  expect((await records.get('person', people[2].id)).headers['etag']).toBe('"1"')
  const told = (await app.events()).map(({ type, object }) => `${object} ${type}`)
  expect(told.toSorted()).toEqual([
    'company record.deleted',
    'deal record.updated',
    'person record.updated',
    'person record.updated',
  ])
})

describe('many', () => {
  test('go together; an id given twice counts once', async () => {
    const made = await records.createMany('person', [{}, {}, {}])
    const before = await records.count('person')
    const { status, body } = await removeMany('person', [...made.map(({ id }) => id), made[0].id])
    expect([status, body]).toEqual([200, {}])
    expect(await records.count('person')).toBe(before - 3)
  })

  test('an id that is not there: 404, its ids told, and nothing deleted', async () => {
    const made = await records.createMany('person', [{}, {}])
    const company = await records.create('company', {})
    const before = await records.count('person')
    await app.events()
    for (const wrong of [unknownId, 'nothing', company.id]) {
      const { status, body } = await removeMany('person', [made[0].id, wrong, made[1].id])
      expect([status, body.errors[0].code, body.errors[0].meta]).toEqual([404, 'not_found', { ids: [wrong] }])
    }
    expect(await records.count('person')).toBe(before)
    expect(await app.events()).toEqual([])
  })

  test('that refer to one another go in one request', async () => {
    const company = await records.create('company', {})
    const people = await records.createMany(
      'person',
      Array.from({ length: 1500 }, () => ({ company_id: company.id })),
    )
    expect(
      (
        await removeMany(
          'person',
          people.slice(0, 1200).map(({ id }) => id),
        )
      ).status,
    ).toBe(200)
    expect((await remove('company', company.id)).status).toBe(200)
    expect((await records.get('person', people[1400].id)).body.data.attributes.company_id).toBeNull()
  })

  test('10,000 are the most', async () => {
    const { status, body } = await removeMany(
      'person',
      Array.from({ length: 10_001 }, () => unknownId),
    )
    expect([status, body.errors[0].source.pointer]).toEqual([422, '/items'])
  })
})
