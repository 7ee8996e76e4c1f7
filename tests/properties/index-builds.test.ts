import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { apiOf } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import type { Answer, Json } from '../harness/http.ts'
import { recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'
import { isFull } from '../harness/size.ts'

const app = await startApp({ fieldIndexThreshold: 100 })
const records = recordsOf(app)
/** A second app in this process, which hears of nothing but through the database. */
const beside = await startApp({ fieldIndexThreshold: 100, beside: app })
const others = recordsOf(beside)

const industries = ['Tech', 'Energy', 'Utilities', 'Health Care']
const company = (number: number) => ({
  name: `Company ${number}`,
  industry: industries[number % 4],
  employee_count: number % 50,
  description: `Number ${number} of many`,
})
const numbered = (from: number, count: number) => Array.from({ length: count }, (_, index) => company(from + index))

const matches = async (asked: Json) =>
  (
    await app.api.post(`${resourcesPath('company')}/query`, {
      body: { filter: asked, page: { limit: 5000 }, fields: { company: [] } },
    })
  ).body

/** What looking at every record gives, and what comes out. */
async function expectRight(filter: Json): Promise<void> {
  const [looked, found] = [await matches({ not: { not: filter } }), await matches(filter)]
  expect(found.data.map(({ id }: Json) => id)).toEqual(looked.data.map(({ id }: Json) => id))
  expect(found.meta.total_records).toBe(looked.meta.total_records)
}

const explained = async (query: Record<string, string>) =>
  (await records.list('company', { ...query, explain: true }, { as: 'admin' })).body.meta.explain

test('an object of few records is looked at; one of many gets the indexes that its lists could use', async () => {
  await records.createMany('company', numbered(0, 100))
  expect((await records.list('company', { 'filter[industry]': 'Tech' })).body.meta.total_records).toBe(25)
  expect(await app.indexes.states()).toEqual([])
  await records.createMany('company', numbered(100, 300))
  // Lists count an object once a second.
  await sleep(1100)
  await records.list('company', {
    'filter[industry]': 'Tech',
    'sortOrder[column]': 'employee_count',
    'sortOrder[dir]': 'DESC',
  })
  await records.list('company', { 'filter[description][Contains]': 'of many', 'filter[name]': 'Company 7' })
  const states = [
    { field: 'description', kind: 'grams' },
    { field: 'employee_count', kind: 'number' },
    { field: 'industry', kind: 'text' },
  ]
  expect(await app.indexes.states()).toEqual(
    states.map((state) => ({ object: 'company', ...state, state: 'building', filled: 0 })),
  )
  expect((await explained({ 'filter[industry]': 'Tech' })).indexes).toEqual([
    { object: 'company', field: 'industry', kind: 'text', state: 'building' },
  ])
})

test.runIf(isFull())(
  'nothing that two apps in one process write while an index is built is lost',
  { timeout: 120_000 },
  async () => {
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
    expect((await explained({ 'filter[employee_count]': '7' })).indexes).toMatchObject([{ state: 'ready' }])

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
  },
)

test.runIf(inject('database') === 'postgres')(
  'a build waits for transactions that began before it and know nothing of it',
  async () => {
    await app.startJobs()
    const held = await app.indexes.hold('company.domains', 'held.example.com')
    const creating = others.post('company', {
      name: 'Held',
      linkedin: 'https://held.example.com',
      domains: { items: ['held.example.com'] },
    })
    await held.someoneWaits()
    await records.list('company', { 'filter[linkedin]': 'https://held.example.com' })
    await sleep(1000)
    expect((await app.indexes.states()).filter(({ field }) => field === 'linkedin')).toMatchObject([
      { state: 'building', filled: 0 },
    ])
    await held.release()
    const { status, body } = await creating
    expect(status).toBe(201)
    await app.indexes.ready()
    const { body: found } = await records.list(
      'company',
      { 'filter[linkedin]': 'https://held.example.com', explain: true },
      { as: 'admin' },
    )
    expect(found.data.map(({ id }: Json) => id)).toEqual([body.data.id])
    expect(found.meta.explain.plan[0]).toMatch(/^Finds the records by the index of linkedin/)
  },
)

test.runIf(isFull())(
  'a server that is killed while it builds an index goes on where it was',
  { timeout: 120_000 },
  async () => {
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
  },
)
