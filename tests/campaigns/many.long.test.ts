import { beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app, 'admin')
const { until } = workflowsOf(app)
const path = '/workspaces/acme/campaigns'

/** More than are counted of those in whom a text occurs. */
const count = 10_050
const batch = 500

describe('a campaign of more people than a search counts', () => {
  let one: string

  const recipients = async (query: Json): Promise<Json> => {
    const { status, body } = await app.api.get(`${one}/recipients`, { query })
    expect([status, body.errors]).toEqual([200, undefined])
    return body
  }

  beforeAll(async () => {
    const wait = { plugin_id: 'general:delay:for', input: { amount: 2, unit: 'days' } }
    const { body } = await app.api.post(path, { body: { name: 'Spring', blocks: { wait } } })
    one = `${path}/${body.data.id}`
    await app.api.post(`${one}/start`, {})
    for (let from = 0; from < count; from += batch) {
      const people = await records.createMany(
        'person',
        Array.from({ length: Math.min(batch, count - from) }, (_, index) => ({
          name: { first_name: (from + index) % 1500 === 7 ? 'Zoe' : 'Ada', last_name: `Reader ${from + index}` },
          email_addresses: { items: [`reader-${from + index}@example.com`] },
        })),
      )
      const items = people.map(({ id }) => id)
      expect(await app.api.post(`${one}/recipients`, { body: { items } })).toMatchObject({ status: 200 })
    }
    await until(async () => (await recipients({})).meta.total_records === count)
  }, 300_000)

  test.each(['Reader', 'ea'])('counts no more of those with "%s", and shows them all', async (q) => {
    const first = await recipients({ 'filter[q]': q, 'page[limit]': 500 })
    expect(first.meta).toMatchObject({ total_records: 10_000, total_capped: true, total_unfiltered: count })
    const everyone = await recipients({ 'page[limit]': 500 })
    expect(first.data.map(({ id }: Json) => id)).toEqual(everyone.data.map(({ id }: Json) => id))
    const last = await recipients({ 'filter[q]': q, 'page[offset]': count - 20, 'page[limit]': 20 })
    expect([last.data.length, last.links.next, typeof last.links.prev]).toEqual([20, null, 'string'])
    const before = await recipients({ 'filter[q]': q, 'page[offset]': count - 40, 'page[limit]': 20 })
    expect([before.data.length, typeof before.links.next]).toEqual([20, 'string'])
  })

  test.each(['Zoe', 'zo'])('counts all of those with "%s"', async (q) => {
    const { meta, data } = await recipients({
      'filter[q]': q,
      'sortOrder[column]': 'started_at',
      'sortOrder[dir]': 'DESC',
    })
    expect([meta.total_records, meta.total_capped, data.length]).toEqual([7, undefined, 7])
    expect(data.map(({ attributes }: Json) => attributes.person.name.first_name)).toEqual(Array(7).fill('Zoe'))
  })

  test('finds none in whom a text does not occur', async () => {
    const { meta, data } = await recipients({ 'filter[q]': 'Grace' })
    expect([meta.total_records, data]).toEqual([0, []])
  })
})
