import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { freshAddress, nextNumber, pointersOf, recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'
import { listsOf } from '../lists/lists.ts'

const app = await startApp()
const records = recordsOf(app)
const lists = listsOf(app)

const items = (...list: string[]) => ({ items: list })
const byDomain = (value: unknown) => ({ match: { domains: value } })
const byAddress = (value: unknown) => ({ match: { email_addresses: value } })
const freshDomain = (): string => `company-${nextNumber()}.example.com`

const newCompany = async () => {
  const domain = freshDomain()
  const { id } = await records.create('company', { domains: items(domain) })
  return { id: String(id), domain }
}

const newPerson = async () => {
  const address = freshAddress()
  const { id } = await records.create('person', { email_addresses: items(address) })
  return { id: String(id), address }
}

const companyOf = async (id: string) =>
  (await records.get('person', id)).body.data.relationships.company_id.data?.id as string | undefined

describe('a reference attribute', () => {
  test('is found by a unique value in any spelling, in creations and changes', async () => {
    const [one, two] = [await newCompany(), await newCompany()]
    const { id } = await records.create('person', { company_id: byDomain(one.domain.toUpperCase()) })
    expect(await companyOf(id)).toBe(one.id)
    const changed = await records.patch('person', id, { company_id: byDomain(items(two.domain, freshDomain())) })
    expect([changed.status, changed.body.data.relationships.company_id.data.id]).toEqual([200, two.id])
  })

  test('is found in bulk, item by item where asked', async () => {
    const one = await newCompany()
    const attributes = [{ company_id: byDomain(one.domain) }, { company_id: byDomain(freshDomain()) }]
    const body = { data: attributes.map((some) => ({ type: 'person', attributes: some })) }
    const path = `${recordsPath('person')}/bulk`
    const refused = await app.api.post(path, { as: 'member', body })
    expect([refused.status, pointersOf(refused)]).toEqual([422, ['/data/1/attributes/company_id/match/domains']])
    const each = await app.api.post(path, { as: 'member', body, query: { atomic: false } })
    expect(each.body.results.map(({ status }: { status: number }) => status)).toEqual([201, 422])
    expect(await companyOf(each.body.results[0].data.id)).toBe(one.id)
  })

  test('is 422 where nothing matches, where the field is not unique, and where two are named', async () => {
    const refusals = [
      [byDomain(freshDomain()), '/match/domains'],
      [byDomain('no domain'), '/match/domains'],
      [{ match: { description: 'x' } }, '/match'],
      [{ match: { domains: 'a.example.com', name: 'x' } }, ''],
      [{ match: {} }, ''],
    ] as const
    for (const [value, below] of refusals) {
      const refused = await records.post('person', { company_id: value })
      expect([refused.status, pointersOf(refused)]).toEqual([422, [`/data/attributes/company_id${below}`]])
    }
  })

  test('is 409 where several match, with the candidates', async () => {
    const [one, two] = [await newCompany(), await newCompany()]
    const { id } = await records.create('person', {})
    const { status, body } = await records.patch('person', id, {
      company_id: byDomain(items(one.domain, two.domain)),
    })
    expect(status).toBe(409)
    expect(body.errors[0]).toMatchObject({
      code: 'match_ambiguous',
      source: { pointer: '/data/attributes/company_id/match/domains' },
      meta: { field: 'domains', candidates: expect.arrayContaining([one.id, two.id]) },
    })
  })
})

describe('a link', () => {
  test('is found by a unique value wherever links are written', async () => {
    const [deal, ada] = [await records.create('deal', {}), await newPerson()]
    const path = `${recordsPath('deal')}/${deal.id}/relationships/people`
    const linked = async () =>
      (await app.api.get(path, { as: 'member' })).body.data.map((one: { id: string }) => one.id)
    const body = { data: [{ type: 'person', id: byAddress(ada.address) }] }
    expect((await app.api.post(path, { as: 'member', body, query: { dry_run: true } })).status).toBe(200)
    expect(await linked()).toEqual([])
    expect((await app.api.post(path, { as: 'member', body })).status).toBe(200)
    expect(await linked()).toEqual([ada.id])
    expect((await app.api.delete(path, { as: 'member', body })).status).toBe(200)
    expect(await linked()).toEqual([])
    expect((await app.api.patch(path, { as: 'member', body })).status).toBe(200)
    expect(await linked()).toEqual([ada.id])
    const refused = await app.api.patch(path, {
      as: 'member',
      body: { data: [body.data[0], { type: 'person', id: byAddress(freshAddress()) }] },
    })
    expect([refused.status, pointersOf(refused)]).toEqual([422, ['/data/1/id/match/email_addresses']])
    expect(await linked()).toEqual([ada.id])
  })

  test('is found where a record is created with its links', async () => {
    const [company, ada, bob] = [await newCompany(), await newPerson(), await newPerson()]
    const people = [
      { type: 'person', id: byAddress(ada.address) },
      { type: 'person', id: bob.id },
    ]
    const company_id = { data: { type: 'company', id: byDomain(company.domain) } }
    const data = { type: 'deal', attributes: {}, relationships: { company_id, people: { data: people } } }
    const made = await app.api.post(resourcesPath('deal'), { as: 'member', body: { data } })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const { relationships } = (await records.get('deal', made.body.data.id)).body.data
    expect(relationships.company_id.data.id).toBe(company.id)
    const idsIn = async (path: string) =>
      (await app.api.get(path, { as: 'member' })).body.data.map((one: { id: string }) => one.id)
    const path = `${recordsPath('deal')}/${made.body.data.id}/relationships/people`
    expect(await idsIn(path)).toEqual([ada.id, bob.id])
  })
})

test('entries of a list are found by a unique value', async () => {
  const [list, ada] = [await lists.create('person'), await newPerson()]
  const path = `/workspaces/acme/objects/person/lists/${list.id}/resources`
  const body = { data: [{ type: 'person', id: byAddress(ada.address) }] }
  expect((await app.api.post(path, { as: 'member', body })).status).toBe(200)
  expect((await lists.members('person', list.id)).ids).toEqual([ada.id])
  expect((await app.api.delete(path, { as: 'member', body })).status).toBe(200)
  expect((await lists.members('person', list.id)).ids).toEqual([])
})

test('records are changed, merged, deleted and commented on by a unique value', async () => {
  const [ada, bob] = [await newPerson(), await newPerson()]
  const changed = await app.api.patch(recordsPath('person'), {
    as: 'member',
    body: { data: [{ type: 'person', id: byAddress(ada.address), attributes: { job_title: 'Engineer' } }] },
  })
  expect([changed.status, changed.body.data[0].id]).toEqual([200, ada.id])
  const message = [{ type: 'paragraph', content: [{ type: 'text', text: 'Called back' }] }]
  const comment = await app.api.post('/workspaces/acme/comments', {
    as: 'member',
    body: { entity: 'person', owner_id: byAddress(ada.address), message },
  })
  expect([comment.status, comment.body.owner_id]).toEqual([201, ada.id])
  const sources = [byAddress(bob.address)]
  const merged = await app.api.post(`${recordsPath('person')}/${ada.id}/merges`, {
    as: 'member',
    body: { data: { type: 'person', attributes: { sources } } },
  })
  expect(merged.status, JSON.stringify(merged.body)).toBe(204)
  const removed = await app.api.delete(recordsPath('person'), { as: 'member', body: { items: sources } })
  expect(removed.status).toBe(200)
  expect((await records.get('person', ada.id)).status, 'it has the address of the one merged into it').toBe(404)
})
