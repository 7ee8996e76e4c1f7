import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Answer, Json } from '../harness/http.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'

// Two apps in one process, so that on Postgres requests meet between their statements.
const app = await startApp()
const beside = await startApp({ beside: app })
const [records, there] = [recordsOf(app), recordsOf(beside)]
const rounds = 30

/** A company, another one, and people of the first. */
async function scene() {
  const [company, other] = await records.createMany('company', [{}, {}])
  const people = await records.createMany(
    'person',
    Array.from({ length: 3 }, () => ({ company_id: company.id })),
  )
  const data = people.map(({ id }: Json) => ({ type: 'person', id }))
  const path = `${recordsPath('company')}/${company.id}/relationships/people`
  return {
    other,
    ids: people.map(({ id }: Json) => id as string),
    unlink: () => app.api.delete(path, { as: 'member', body: { data } }),
  }
}

const companyOf = async (id: string): Promise<string | null> =>
  (await records.get('person', id)).body.data.attributes.company_id

test('people who are deleted while a company lets them go are left alone', async () => {
  for (let round = 0; round < rounds; round++) {
    const { ids, unlink } = await scene()
    const [unlinked, deleted] = await Promise.all([unlink(), there.remove('person', [ids[0]!])])
    expect([unlinked.status, deleted.status], JSON.stringify(unlinked.body)).toEqual([200, 200])
    expect(await companyOf(ids[1]!)).toBeNull()
  }
})

test('people who turn to another company while the first lets them go stay with the other', async () => {
  for (let round = 0; round < rounds; round++) {
    const { other, ids, unlink } = await scene()
    const [unlinked, moved] = await Promise.all([unlink(), there.patch('person', ids[0]!, { company_id: other.id })])
    expect([unlinked.status, moved.status]).toEqual([200, 200])
    expect(await companyOf(ids[0]!)).toBe(other.id)
  }
})

/** A person who has another merged into them while a record that is linked to the other has its people changed. */
async function mergeBeside(object: string, change: (path: string) => Promise<Answer>): Promise<string[]> {
  const record = await records.create(object, {})
  const path = `${recordsPath(object)}/${record.id}/relationships/people`
  const [from, into] = await records.createMany('person', [{}, {}])
  await app.api.post(path, { as: 'member', body: { data: { type: 'person', id: from!.id } } })
  const [changed, merged] = await Promise.all([change(path), there.merge('person', into!.id, [from!.id])])
  expect([changed.status, merged.status], JSON.stringify([changed.body, merged.body])).toEqual([200, 204])
  const { body } = await app.api.get(path, { as: 'member' })
  return body.data.map(({ id }: Json) => (id === into!.id ? 'into' : id))
}

test('whom a linked person is merged into is unlinked where others take their place', async () => {
  const other = await records.create('person', {})
  const data = [{ type: 'person', id: other.id }]
  for (let round = 0; round < rounds; round++) {
    expect(await mergeBeside('deal', (path) => app.api.patch(path, { as: 'member', body: { data } }))).toEqual([
      other.id,
    ])
  }
})

test('whom a person is merged into is let go where a company lets all go', async () => {
  const data = [{ type: 'person', id: null }]
  for (let round = 0; round < rounds; round++) {
    expect(await mergeBeside('company', (path) => app.api.patch(path, { as: 'member', body: { data } }))).toEqual([])
  }
})
