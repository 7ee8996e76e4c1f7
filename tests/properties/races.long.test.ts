import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { freshAddress, recordsOf, recordsPath } from '../harness/records.ts'

// Two apps in one process, on one database: what holds must hold between apps, not only within one.
const app = await startApp()
const second = await startApp({ beside: app })
const nodes = [recordsOf(app), recordsOf(second)] as const
const records = nodes[0]

const fifty = Array.from({ length: 50 }, (_, index) => index)
const node = (index: number) => nodes[index % 2]!
const items = (...list: string[]) => ({ items: list })
const tally = (statuses: readonly number[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe('50 at once', () => {
  test('creating one unique value: one wins, 49 get 409', async () => {
    const address = freshAddress()
    const before = await records.count('person')
    await app.events()
    const answers = await Promise.all(
      fifty.map((index) => node(index).post('person', { job_title: String(index), email_addresses: items(address) })),
    )
    expect(tally(answers.map(({ status }) => status))).toEqual({ 201: 1, 409: 49 })
    const winner = answers.find(({ status }) => status === 201)!.body.data
    for (const { status, body } of answers)
      if (status === 409)
        expect(body.errors[0]).toMatchObject({ code: 'unique_violation', meta: { existing_id: winner.id } })
    expect(await records.count('person')).toBe(before + 1)
    expect(await app.events()).toHaveLength(1)
  })

  test('taking one value over by update: one wins', async () => {
    const address = freshAddress()
    const people = await records.createMany(
      'person',
      fifty.map(() => ({})),
    )
    const answers = await Promise.all(
      people.map(({ id }, index) => node(index).patch('person', id, { email_addresses: items(address) })),
    )
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: 49 })
    expect((await records.list('person', { 'filter[email_addresses]': address })).body.meta.total_records).toBe(1)
  })

  test('upserting by match_on: one record, and no call is refused', async () => {
    const address = freshAddress()
    const before = await records.count('person')
    const answers = await Promise.all(
      fifty.map((index) =>
        node(index).post(
          'person',
          { job_title: String(index), email_addresses: items(address) },
          { match_on: 'email_addresses' },
        ),
      ),
    )
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 49, 201: 1 })
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1)
    expect(await records.count('person')).toBe(before + 1)
    expect((await records.get('person', answers[0]!.body.data.id)).headers['etag']).toBe('"50"')
  })

  test('upserting many in bulk, in different orders', async () => {
    const addresses = Array.from({ length: 10 }, freshAddress)
    const before = await records.count('person')
    const upsert = (index: number) => {
      const rows = [...addresses.slice(index % 10), ...addresses.slice(0, index % 10)].map((address) => ({
        type: 'person',
        attributes: { email_addresses: items(address), job_title: `Job ${index}` },
      }))
      const { api } = index % 2 === 0 ? app : second
      return api.post(`${recordsPath('person')}/bulk`, { body: { data: rows, match_on: 'email_addresses' } })
    }
    const answers = await Promise.all(fifty.slice(0, 16).map(upsert))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 201: 16 })
    expect(await records.count('person')).toBe(before + 10)
  })

  test('the same request under one Idempotency-Key, to both apps: done once', async () => {
    const before = await records.count('person')
    const body = { data: { type: 'person', attributes: { job_title: 'Once' } } }
    const answers = await Promise.all(
      fifty.map((index) =>
        (index % 2 === 0 ? app : second).api.post(recordsPath('person'), {
          as: 'adminKey',
          body,
          headers: { 'Idempotency-Key': 'once' },
        }),
      ),
    )
    for (const { status } of answers) expect([201, 409]).toContain(status)
    const made = answers.filter(({ status }) => status === 201)
    expect(made.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1)
    expect(new Set(made.map((answer) => answer.body.data.id)).size).toBe(1)
    expect(await records.count('person')).toBe(before + 1)
  })

  test('appending to one collection loses nothing', async () => {
    const { id } = await records.create('person', {})
    const answers = await Promise.all(
      fifty.map((index) =>
        node(index).patch(
          'person',
          id,
          { labels: items(`label ${index}`) },
          { meta: { labels: { collection: 'append' } } },
        ),
      ),
    )
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 50 })
    const { headers, body } = await records.get('person', id)
    expect(headers['etag']).toBe('"51"')
    expect(new Set(body.data.attributes.labels.items)).toEqual(new Set(fifty.map((index) => `label ${index}`)))
  })

  test('deleting one record: one does, the rest find nothing', async () => {
    const { id } = await records.create('person', {})
    const before = await records.count('person')
    const answers = await Promise.all(
      fifty.map((index) => (index % 2 === 0 ? app : second).api.delete(`${recordsPath('person')}/${id}`)),
    )
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 404: 49 })
    expect(await records.count('person')).toBe(before - 1)
  })

  test('deleting a company while people come to it: no record refers to what is gone', async () => {
    const company = await records.create('company', {})
    const answers = await Promise.all(
      fifty.map((index) =>
        index === 25
          ? app.api.delete(`${recordsPath('company')}/${company.id}`)
          : node(index).post('person', { company_id: company.id }),
      ),
    )
    expect(answers[25]!.status).toBe(200)
    for (const { status, body } of answers) {
      expect([200, 201, 422]).toContain(status)
      if (status === 201) expect((await records.get('person', body.data.id)).body.data.attributes.company_id).toBeNull()
    }
  })

  test('many writers of the same records in different orders all get through', async () => {
    const people = await records.createMany(
      'person',
      fifty.map(() => ({})),
    )
    const update = (index: number) => {
      const ordered = index % 2 === 0 ? people : people.toReversed()
      const data = ordered.map(({ id }: Json) => ({ type: 'person', id, attributes: { job_title: `Round ${index}` } }))
      return (index % 4 < 2 ? app : second).api.patch(recordsPath('person'), { body: { data } })
    }
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => update(index)))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 12 })
    const titles = await Promise.all(
      people.map(async ({ id }) => (await records.get('person', id)).body.data.attributes.job_title),
    )
    expect(new Set(titles).size).toBe(1)
  })
})

test('a key revoked on one app ends on the other within seconds', async () => {
  const { body } = await app.api.post('/workspaces/acme/api-keys', {
    body: { data: { type: 'api-key', attributes: { name: 'x' } } },
  })
  const as = { authorization: `api-key ${body.data.attributes.cleartext_api_key}` }
  expect((await second.api.get('/workspaces/acme/users', { as })).status).toBe(200)
  await app.api.delete(`/workspaces/acme/api-keys/${body.data.id}`)
  await expect
    .poll(async () => (await second.api.get('/workspaces/acme/users', { as })).status, {
      timeout: 10_000,
      interval: 250,
    })
    .toBe(401)
})
