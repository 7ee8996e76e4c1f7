import { afterAll, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { copiedDatabase } from '../harness/database.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'

// Two apps in one process, one on a copy of the database of the other: every id of the one is an id of the other too.
const app = await startApp({ fieldIndexThreshold: 3 })
await recordsOf(app).createMany(
  'company',
  ['Tech', 'Energy', 'Health', 'Tech'].map((industry, index) => ({ name: `Company ${index}`, industry })),
)
const copied = await copiedDatabase(app.databaseUrl)
afterAll(() => copied.remove())
const copy = await startApp({
  fieldIndexThreshold: 3,
  beside: { databaseUrl: copied.url, credentials: app.credentials },
})

test('each has the objects of its own database', async () => {
  const document = { name: { xSvcType: 'text', xSvcPrimary: true } } as const
  const house = await schemasOf(app).make(document, { name: 'House', plural: 'Houses' })
  const boat = await schemasOf(copy).make(document, { name: 'Boat', plural: 'Boats' })
  const statusOf = async ({ api }: typeof app, object: string) =>
    (await api.get(recordsPath(object).replace(/records$/, 'resources'), { as: 'admin' })).status
  expect([
    await statusOf(app, house),
    await statusOf(app, boat),
    await statusOf(copy, house),
    await statusOf(copy, boat),
  ]).toEqual([200, 404, 404, 200])
})

test('each writes to the indexes of its own database', async () => {
  const sort = { 'sortOrder[column]': 'industry', 'sortOrder[dir]': 'ASC' }
  await recordsOf(app).list('company', sort)
  await app.startJobs()
  await app.indexes.ready()
  const { meta } = (await recordsOf(app).list('company', { ...sort, explain: true }, { as: 'admin' })).body
  expect(meta.explain.indexes).toEqual([{ object: 'company', field: 'industry', kind: 'text', state: 'ready' }])
  const { id } = await recordsOf(copy).create('company', { name: 'Company of the copy', industry: 'Tech' })
  expect((await copy.indexes.rows('company.industry')).filter((row) => row.includes(id))).toEqual([])
})
