import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { RequestOptions } from '../harness/api.ts'
import type { Json } from '../harness/http.ts'
import { pointersOf, recordsOf, recordsPath, unknownId } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)

const path = (object: string, id: string, relationship: string): string =>
  `${recordsPath(object)}/${id}/relationships/${relationship}`
const identifiers = (type: string, ids: readonly (string | null)[]): Json[] => ids.map((id) => ({ type, id }))
const linked = async (object: string, id: string, relationship: string): Promise<string[]> =>
  (await app.api.get(path(object, id, relationship), { as: 'member' })).body.data.map((one: Json) => one.id)
const change = (
  method: 'post' | 'patch' | 'delete',
  object: string,
  id: string,
  relationship: string,
  data: Json,
  options: RequestOptions = {},
) => app.api[method](path(object, id, relationship), { as: 'member', body: { data }, ...options })

describe('many to many', () => {
  test('both ends are in step, whichever is written', async () => {
    const [ada, bob] = await records.createMany('person', [{}, {}])
    const [one, two, three] = await records.createMany('deal', [{}, {}, {}])
    expect(
      await change('post', 'person', ada.id, 'deals', identifiers('deal', [one.id, two.id, one.id])),
    ).toMatchObject({ status: 200, body: {} })
    expect(await change('post', 'deal', two.id, 'people', identifiers('person', [bob.id])[0])).toMatchObject({
      status: 200,
      body: {},
    })
    expect(await linked('deal', two.id, 'people')).toEqual([ada.id, bob.id])
    expect(await change('patch', 'person', ada.id, 'deals', identifiers('deal', [two.id, three.id]))).toMatchObject({
      status: 200,
      body: {},
    })
    expect(await linked('person', ada.id, 'deals')).toEqual([two.id, three.id])
    expect(await linked('deal', one.id, 'people')).toEqual([])
    expect(await change('delete', 'deal', two.id, 'people', identifiers('person', [ada.id, unknownId]))).toMatchObject({
      status: 200,
      body: {},
    })
    expect(await linked('person', ada.id, 'deals')).toEqual([three.id])
    expect(await change('patch', 'person', ada.id, 'deals', [])).toMatchObject({ status: 200, body: {} })
    expect(await linked('deal', three.id, 'people')).toEqual([])
    expect((await records.get('deal', three.id)).status).toBe(200)
  })

  test('both ends are told, and what changes nothing emits no event', async () => {
    const ada = await records.create('person', {})
    const deal = await records.create('deal', {})
    await app.events()
    await change('post', 'person', ada.id, 'deals', identifiers('deal', [deal.id]))
    await change('post', 'person', ada.id, 'deals', identifiers('deal', [deal.id]))
    await change('delete', 'deal', deal.id, 'people', identifiers('person', [ada.id]))
    await change('delete', 'deal', deal.id, 'people', identifiers('person', [ada.id]))
    const told = await app.events()
    expect(told.map(({ type, object, payload }) => [type, object, payload])).toEqual([
      ['relationship.set', 'person', { relationship: 'deals', ids: [deal.id] }],
      ['relationship.set', 'deal', { relationship: 'people', ids: [ada.id] }],
      ['relationship.unset', 'deal', { relationship: 'people', ids: [ada.id] }],
      ['relationship.unset', 'person', { relationship: 'deals', ids: [deal.id] }],
    ])
    const { body } = await app.api.get(`${recordsPath('deal')}/${deal.id}/activities`, { as: 'member' })
    expect(body.data.map((activity: Json) => activity.attributes.data[0].type)).toEqual([
      'svc:unset-relationship',
      'svc:set-relationship',
      'svc:create',
    ])
  })
})

describe('one to many', () => {
  test('adds and takes over; an entry without an id lets all go first', async () => {
    const [acme, initech] = await records.createMany('company', [{}, {}])
    const people = await records.createMany('person', [{ company_id: initech.id }, { company_id: acme.id }, {}])
    const [ada, bob, eve] = people.map(({ id }) => id)
    await change('patch', 'company', acme.id, 'people', identifiers('person', [ada, eve]))
    expect(await linked('company', acme.id, 'people')).toEqual([ada, bob, eve])
    expect(await linked('company', initech.id, 'people')).toEqual([])
    expect((await records.get('person', ada)).body.data.attributes.company_id).toBe(acme.id)
    await change('patch', 'company', acme.id, 'people', identifiers('person', [null, bob]))
    expect(await linked('company', acme.id, 'people')).toEqual([bob])
    await change('delete', 'company', acme.id, 'people', identifiers('person', [ada, bob]))
    expect((await records.get('person', bob)).body.data.attributes.company_id).toBeNull()
    await change('post', 'company', acme.id, 'people', { type: 'person', id: eve })
    expect(await linked('company', acme.id, 'people')).toEqual([eve])
    await change('patch', 'company', acme.id, 'people', [])
    expect(await linked('company', acme.id, 'people')).toEqual([eve])
  })
})

describe('to one', () => {
  test('replaces, clears and removes; adding is refused', async () => {
    const [acme, initech] = await records.createMany('company', [{}, {}])
    const ada = await records.create('person', { company_id: acme.id })
    await change('patch', 'person', ada.id, 'company_id', { type: 'company', id: initech.id })
    expect(await linked('person', ada.id, 'company_id')).toEqual([initech.id])
    expect(await linked('company', acme.id, 'people')).toEqual([])
    await change('delete', 'person', ada.id, 'company_id', identifiers('company', [acme.id]))
    expect(await linked('person', ada.id, 'company_id')).toEqual([initech.id])
    await change('delete', 'person', ada.id, 'company_id', identifiers('company', [initech.id]))
    expect(await linked('person', ada.id, 'company_id')).toEqual([])
    await change('patch', 'person', ada.id, 'company_id', identifiers('company', [acme.id]))
    for (const nothing of [null, [], { type: 'company', id: null }]) {
      await change('patch', 'person', ada.id, 'company_id', identifiers('company', [acme.id]))
      expect((await change('patch', 'person', ada.id, 'company_id', nothing)).status).toBe(200)
      expect(await linked('person', ada.id, 'company_id')).toEqual([])
    }
    const refused = await change('post', 'person', ada.id, 'company_id', { type: 'company', id: acme.id })
    expect([refused.status, pointersOf(refused)]).toEqual([422, ['/data']])
    const both = await change('patch', 'person', ada.id, 'company_id', identifiers('company', [acme.id, initech.id]))
    expect([both.status, pointersOf(both)]).toEqual([422, ['/data']])
  })
})

describe('refusals', () => {
  test('a link to a record that is missing names it, and nothing is linked', async () => {
    const ada = await records.create('person', {})
    const deal = await records.create('deal', {})
    const { status, body } = await change('patch', 'person', ada.id, 'deals', identifiers('deal', [deal.id, unknownId]))
    expect([status, body.errors[0].code, body.errors[0].meta]).toEqual([404, 'related_not_found', { ids: [unknownId] }])
    expect(await linked('person', ada.id, 'deals')).toEqual([])
  })

  test('another type, an unknown relationship, an unknown record', async () => {
    const ada = await records.create('person', {})
    const wrong = await change('patch', 'person', ada.id, 'deals', identifiers('company', [unknownId]))
    expect([wrong.status, pointersOf(wrong)]).toEqual([422, ['/data/0/type']])
    const unknown = await change('patch', 'person', ada.id, 'deal', [])
    expect([unknown.status, unknown.body.errors[0].meta.allowed]).toEqual([
      404,
      expect.arrayContaining(['deals', 'company_id']),
    ])
    expect((await change('patch', 'person', unknownId, 'deals', [])).status).toBe(404)
    expect((await change('patch', 'user', app.userIds.admin, 'deals', [])).status).toBe(403)
    expect((await change('patch', 'person', ada.id, 'deals', [], { as: 'viewer' })).status).toBe(403)
  })

  test('a dry run says what would change and changes nothing', async () => {
    const ada = await records.create('person', {})
    const deal = await records.create('deal', {})
    const { status, body } = await change('post', 'person', ada.id, 'deals', identifiers('deal', [deal.id]), {
      query: { dry_run: 'true' },
    })
    expect([status, body.meta]).toEqual([
      200,
      { dry_run: true, diff: [{ op: 'add', path: ['deals'], val: [deal.id], oldVal: null }] },
    ])
    expect(await linked('person', ada.id, 'deals')).toEqual([])
  })

  test('deleting a record unlinks it', async () => {
    const ada = await records.create('person', {})
    const deal = await records.create('deal', {})
    await change('post', 'person', ada.id, 'deals', identifiers('deal', [deal.id]))
    await app.api.delete(`${recordsPath('deal')}/${deal.id}`, { as: 'member' })
    expect(await linked('person', ada.id, 'deals')).toEqual([])
  })
})
