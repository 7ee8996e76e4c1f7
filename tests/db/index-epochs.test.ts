import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'
import { verificationOf } from '../harness/verification.ts'

const app = await startApp({ fieldIndexThreshold: 0 })
const other = await startApp({ beside: app })
const [here, there] = [recordsOf(app), recordsOf(other)]
const byIndustry = { 'sortOrder[column]': 'industry', 'sortOrder[dir]': 'ASC' }

test('a process that knows the indexes of an object writes to one that another process has added since', async () => {
  await here.create('company', { industry: 'Rail' })
  for (const industry of ['Steel', 'Coal']) await there.create('company', { industry })
  await here.list('company', byIndustry)
  await app.startJobs()
  await app.indexes.ready()
  await there.create('company', { industry: 'Amber' })
  // It compares the index rows of every record.
  expect(await verificationOf(app.databaseUrl).found()).toEqual({})
})
