import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { apiOf } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import type { Answer, Json } from '../harness/http.ts'
import { recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'
import { askForIndexes, company, explained, industries, numbered } from './index-builds.ts'

const app = await startApp({ fieldIndexThreshold: 100 })
const records = recordsOf(app)
/** A second app in this process, which hears of nothing but through the database. */
const beside = await startApp({ fieldIndexThreshold: 100, beside: app })
const others = recordsOf(beside)

const matches = async (asked: Json) =>
  (
    await app.api.post(`${resourcesPath('company')}/query`, {
      body: { filter: asked, page: { limit: 5000 }, fields: { company: [] } },
    })
  ).body

/** Compares the result with that of looking at every record. */
async function expectRight(filter: Json): Promise<void> {
  const [looked, found] = [await matches({ not: { not: filter } }), await matches(filter)]
  expect(found.data.map(({ id }: Json) => id)).toEqual(looked.data.map(({ id }: Json) => id))
  expect(found.meta.total_records).toBe(looked.meta.total_records)
}

test('nothing that two apps in one process write while an index is built is lost', async () => {
  await records.createMany('company', numbered(0, 400))
  await askForIndexes(app)
  const building = { isOver: false }
  const ids: string[] = (await records.list('company', { 'page[limit]': 400 })).body.data.map(({ id }: Json) => id)
  const write = async (own: typeof records, api: typeof app.api, first: number) => {
    for (let round = 0; !building.isOver; round++) {
      const at = (first + round * 7) % ids.length
      const answers: Answer[] = await Promise.all([
        own.post('company', company(first + round)),
        own.patch('company', ids[at] as string, { ...company(round), labels: { items: [`round ${round}`, 'all'] } }),
        own.patch('company', ids[(at + 3) % ids.length] as string, { industry: null, employee_count: null }),
        api.delete(`${recordsPath('company')}/${ids[(at + 5) % ids.length]}`, { as: 'admin' }),
      ])
      for (const { status, body } of answers) expect([200, 201, 404], JSON.stringify(body.errors)).toContain(status)
      if (round % 40 === 0) await own.createMany('company', numbered(first + round, 200))
    }
  }
  const writers = [write(records, app.api, 1000), write(others, beside.api, 100_000)]
  await Promise.all([app.startJobs(), beside.startJobs()])
  for (const field of ['labels', '_created_by', '_updated_by', 'name', 'location']) {
    await beside.api.get(resourcesPath('company'), {
      query: { [`filter[${field}][Contains]`]: 'and more', 'page[limit]': 1 },
    })
    await beside.api.get(resourcesPath('company'), {
      query: { 'sortOrder[column]': field, 'sortOrder[dir]': 'ASC', 'page[limit]': 1 },
    })
    await sleep(100)
  }
  await app.indexes.ready()
  building.isOver = true
  await Promise.all(writers)
  await sleep(1100)
  for (const value of industries) await expectRight({ field: 'industry', op: 'Is', value })
  await expectRight({ field: 'industry', op: 'Is empty' })
  await expectRight({ field: 'employee_count', op: 'Greater than', value: 10 })
  await expectRight({ field: 'description', op: 'Contains', value: '7 of m' })
  await expectRight({ field: 'labels', op: 'Contains', value: 'all' })
  expect((await explained(app, { 'filter[employee_count]': '7' })).indexes).toMatchObject([{ state: 'ready' }])

  const [kept, asked] = [await app.indexes.rows('company'), await app.indexes.states()]
  await app.indexes.forget('company', 'name')
  await sleep(1100)
  await app.api.get(resourcesPath('company'), {
    query: {
      'filter[industry]': 'Tech',
      'filter[employee_count]': 1,
      'filter[description][Contains]': 'many',
      'filter[labels][Contains]': 'all',
      'filter[name][Contains]': 'company',
      'filter[location][Contains]': 'here',
      'filter[_created_by]': 'x',
      'filter[_updated_by]': 'x',
    },
  })
  await app.indexes.ready()
  expect((await app.indexes.states()).map(({ field, kind }) => [field, kind])).toEqual(
    asked.map(({ field, kind }) => [field, kind]),
  )
  expect(await app.indexes.rows('company')).toEqual(kept)
})

test('a server that is killed while it builds an index goes on where it was', async () => {
  const own = await startApp({ fieldIndexThreshold: 100 })
  for (let start = 0; start < 6000; start += 2000) await recordsOf(own).createMany('company', numbered(start, 2000))
  const settings = { FIELD_INDEX_THRESHOLD: '100' }
  const server = await startServer(own.databaseUrl, settings)
  const { status } = await apiOf(own.http, server.baseUrl, own.credentials).get(resourcesPath('company'), {
    query: { 'filter[industry]': 'Tech' },
  })
  expect(status).toBe(200)
  const filled = async () => (await own.indexes.states())[0]
  while (((await filled())?.filled ?? 0) === 0) await sleep(1)
  await server.kill()
  const cut = await filled()
  expect(cut?.state).toBe('building')
  const next = await startServer(own.databaseUrl, settings)
  await own.indexes.ready()
  expect((await filled())?.filled).toBe(6000)
  const { body } = await recordsOf(own).list(
    'company',
    { 'filter[industry]': 'Tech', 'page[limit]': 1, explain: true },
    { as: 'admin' },
  )
  expect(body.meta).toMatchObject({ total_records: 1500, explain: { indexes: [{ state: 'ready' }] } })
  expect(await next.terminate()).toBe(0)
})
