import { expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { share } from '../harness/grants.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { isFull } from '../harness/size.ts'

const app = await startApp()
const records = recordsOf(app)
const search = (query: string, more: Json = {}, as: 'member' | 'admin' | 'viewer' = 'member') =>
  app.api.post('/workspaces/acme/search', { as, body: { query, ...more } })
const titles = ({ body }: Json): string[] =>
  body.data.map(({ attributes: { name, title } }: Json) => name?.full_name ?? name ?? title)

test('finds records of every object by their words, the best first', async () => {
  await records.create('company', { name: 'Hopper' })
  await records.create('company', { name: 'Grasshopper Ltd' })
  await records.create('company', { name: 'Elsewhere', industry: 'Hopper' })
  await records.create('company', { name: 'Elsewhere, too', industry: 'Hoppers' })
  await records.create('company', { name: 'And there', industry: 'Grasshoppers' })
  await records.create('person', { name: { first_name: 'Grace', last_name: 'Hopper' } })
  await records.create('person', { name: { first_name: 'Vin', last_name: 'Hoppers' } })
  const found = await search('hopper')
  expect(titles(found)).toEqual([
    'Grace Hopper',
    'Hopper',
    'Vin Hoppers',
    'Grasshopper Ltd',
    'Elsewhere',
    'Elsewhere, too',
    'And there',
  ])
  expect(found.body.meta).toEqual({ total_records: 7 })
  expect(titles(await search('hopper', { limit: 2 }))).toEqual(['Grace Hopper', 'Hopper'])
  expect((await search('hopper', { limit: 2 })).body.meta).toEqual({ total_records: 7 })
  expect(titles(await search('hopper', { entities: ['person', 'deal', 'person'] }))).toEqual([
    'Grace Hopper',
    'Vin Hoppers',
  ])
  expect(titles(await search('Hop GRÀ'))).toEqual(['Grace Hopper', 'Grasshopper Ltd', 'And there'])
})

test('answers with whole records', async () => {
  const created = await records.create('task', { title: 'Zähler ablesen', priority: 'High' })
  expect((await search('zahler')).body.data).toEqual([created])
})

test('finds what was written a moment ago, and nothing that is gone', async () => {
  const { id } = await records.create('person', { job_title: 'Cartographer' })
  expect((await search('cartog')).body.meta.total_records).toBe(1)
  await records.patch('person', id, { job_title: 'Mapmaker' })
  expect((await search('cartog')).body.meta.total_records).toBe(0)
  expect((await search('apma')).body.meta.total_records).toBe(1)
  await records.remove('person', [id])
  expect((await search('apma')).body.data).toEqual([])
  await records.restore('person', [id])
  expect((await search('apma')).body.data.map((one: Json) => one.id)).toEqual([id])
})

test('shows no caller what they may not see', async () => {
  const own = await records.create('meeting', { title: 'Quarterly' })
  await recordsOf(app, 'admin').create('meeting', { title: 'Quarterly, of admins' })
  expect((await search('quarterly')).body).toMatchObject({ data: [{ id: own.id }], meta: { total_records: 1 } })
  expect((await search('quarterly', {}, 'admin')).body.meta.total_records).toBe(2)
  expect((await search('quarterly', {}, 'viewer')).body.meta.total_records).toBe(0)
})

test('an object that is none is named with those that there are', async () => {
  const { status, body } = await search('x', { entities: ['person', 'persn'] })
  expect(status).toBe(400)
  expect(body.errors[0]).toMatchObject({
    code: 'unknown_value',
    source: { pointer: '/entities/1' },
    meta: { allowed: expect.arrayContaining(['person', 'company']) },
  })
  expect(body.errors[0].detail).toContain('person')
})

test('what has nothing to search for is refused', async () => {
  for (const query of ['', ' ', '%', '"\'', 'x'.repeat(201), 5]) {
    const { status, body } = await app.api.post('/workspaces/acme/search', { as: 'member', body: { query } })
    expect([status, body.errors[0].source], String(query)).toEqual([422, { pointer: '/query' }])
  }
  for (const more of [{ limit: 51 }, { limit: 0 }, { entities: [] }]) expect((await search('x', more)).status).toBe(422)
})

/** On Postgres something comes between two statements about once in a hundred changes; on SQLite hardly ever. */
const rounds = inject('database') === 'postgres' ? 60 : 10

test.runIf(isFull())('shows nothing that was written after a grant was withdrawn', { timeout: 120_000 }, async () => {
  const beside = await startApp({ beside: app })
  const { id } = await records.create('meeting', { title: 'Waywardword', summary: 'open' }, { as: 'admin' })
  const write = async (summary: string) =>
    expect((await recordsOf(beside, 'admin').patch('meeting', id, { summary })).status).toBe(200)
  const changes = { areOver: false }
  const toggle = async () => {
    for (let round = 0; round < rounds; round++) {
      const grant = await share(beside.api.post, `meeting/records/${id}`, app.userIds.member, 'view')
      expect((await beside.api.delete(`${recordsPath('meeting')}/${id}/access/${grant}`)).status).toBeLessThan(300)
      await write('secret')
      await write('open')
    }
  }
  const told: string[] = []
  const read = async () => {
    while (!changes.areOver)
      told.push(...(await search('waywardword')).body.data.map(({ attributes }: Json) => attributes.summary))
  }
  await Promise.all([toggle().finally(() => (changes.areOver = true)), ...Array.from({ length: 6 }, read)])
  expect(told).toContain('open')
  expect(told).not.toContain('secret')
})
