import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'
import { mergingOf } from './merging.ts'

const app = await startApp()
const records = recordsOf(app)
const { merged, attributesOf, companyOf } = mergingOf(app)
const remove = (object: string, ...ids: string[]) => records.remove(object, ids)
const restore = (object: string, ...ids: string[]) => records.restore(object, ids)

async function createDealWith(...people: string[]): Promise<string> {
  const data = people.map((id) => ({ type: 'person', id }))
  return (
    await app.api.post(resourcesPath('deal'), {
      as: 'member',
      body: { data: { type: 'deal', attributes: {}, relationships: { people: { data } } } },
    })
  ).body.data.id
}

describe('links', () => {
  test('what referred to a source refers to the target, and says so', async () => {
    const [into, from, other] = await records.createMany('company', [{}, {}, {}])
    const people = await records.createMany('person', [
      { company_id: from.id },
      { company_id: from.id },
      { company_id: other.id },
      { company_id: into.id },
    ])
    const deal = await records.create('deal', { company_id: from.id })
    await app.events()
    await merged('company', into.id, from.id)
    expect(await Promise.all(people.map(({ id }) => companyOf(id)))).toEqual([into.id, into.id, other.id, into.id])
    expect((await attributesOf('deal', deal.id)).company_id).toBe(into.id)
    const told = await app.events()
    expect(told.map(({ type }) => type).toSorted()).toEqual([
      'record.merged',
      'record.updated',
      'record.updated',
      'record.updated',
    ])
    expect(told.find(({ record_id }) => record_id === deal.id)!.payload).toEqual({
      diff: [{ op: 'update', path: ['company_id'], val: into.id, oldVal: from.id }],
    })
    await remove('company', into.id)
    expect(await companyOf(people[0].id)).toBeNull()
    await restore('company', into.id)
    expect(await Promise.all(people.map(({ id }) => companyOf(id)))).toEqual([into.id, into.id, other.id, into.id])
  })

  test('between many and many move, once', async () => {
    const [into, from, second] = await records.createMany('person', [{}, {}, {}])
    const deals = [
      await createDealWith(from.id),
      await createDealWith(into.id, from.id, second.id),
      await createDealWith(into.id),
    ]
    await merged('person', into.id, from.id, second.id)
    expect(await app.links(into.id)).toEqual(
      deals.toSorted().map((deal) => ({ relationship: 'deal.people', from_id: deal, to_id: into.id, hidden_by: null })),
    )
    for (const id of [from.id, second.id]) expect(await app.links(id)).toEqual([])
  })

  test('those that wait for a deleted record move too', async () => {
    const [into, from] = await records.createMany('company', [{}, {}])
    const [person, second] = await records.createMany('person', [{ company_id: from.id }, {}])
    await remove('person', person.id)
    await merged('company', into.id, from.id)
    expect((await restore('person', person.id)).body.data[0].attributes.company_id).toBe(into.id)
    expect(await companyOf(person.id)).toBe(into.id)
    // The other way round: what a source lost by a deletion comes back to the target.
    const lost = await records.create('company', {})
    await records.patch('person', second.id, { company_id: lost.id })
    await remove('company', lost.id)
    const heir = await records.create('person', {})
    await merged('person', heir.id, second.id)
    await restore('company', lost.id)
    expect(await companyOf(heir.id)).toBe(lost.id)
  })
})
