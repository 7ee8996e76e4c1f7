import { afterAll, expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { openAt } from '../harness/database.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { until } from '../harness/until.ts'
import { askForIndexes, explained, numbered } from './index-builds.ts'

const app = await startApp({ fieldIndexThreshold: 100 })
const records = recordsOf(app)
/** A second app in this process, which hears of nothing but through the database. */
const beside = await startApp({ fieldIndexThreshold: 100, beside: app })
const others = recordsOf(beside)

test('an object of few records is looked at; one of many gets the indexes that its lists could use', async () => {
  await records.createMany('company', numbered(0, 100))
  expect((await records.list('company', { 'filter[industry]': 'Tech' })).body.meta.total_records).toBe(25)
  expect(await app.indexes.states()).toEqual([])
  await records.createMany('company', numbered(100, 300))
  // Lists of an app count an object once a second, and the other app has not counted this one yet.
  await askForIndexes(beside)
  const states = [
    { field: 'description', kind: 'grams' },
    { field: 'employee_count', kind: 'number' },
    { field: 'industry', kind: 'text' },
  ]
  expect(await app.indexes.states()).toEqual(
    states.map((state) => ({ object: 'company', ...state, state: 'building', filled: 0 })),
  )
  expect((await explained(beside, { 'filter[industry]': 'Tech' })).indexes).toEqual([
    { object: 'company', field: 'industry', kind: 'text', state: 'building' },
  ])
})

const database = openAt(app.databaseUrl)
afterAll(() => database.close())

/** Counts how often a build has checked whether the transactions that it waits for have ended. */
const timesLooked = async (field: string): Promise<number> => {
  const [job] = await database.reader.query<{ attempt: number }>(({ knex }) =>
    knex('job')
      .select('attempt')
      .where({ kind: 'records.index', job_key: `company.${field}.text` })
      .whereNull('ended_at'),
  )
  return job?.attempt ?? 0
}

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
    await others.list('company', { 'filter[linkedin]': 'https://held.example.com' })
    await until(async () => (await timesLooked('linkedin')) > 3)
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
