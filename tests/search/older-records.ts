import { expect } from 'vitest'
import { startApp, type TestApp } from '../harness/app.ts'
import { migrateAgain } from '../harness/database.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { until } from '../harness/until.ts'

/** An app with people who are older than the search. Nothing collects their documents yet. */
export async function withOlderRecords() {
  const old = await startApp()
  const records = recordsOf(old)
  const made = await records.createMany(
    'person',
    Array.from({ length: 300 }, (_, index) => ({ name: { full_name: `Number ${index} Ångström` } })),
  )
  await records.remove('person', [made[0]!.id, made[1]!.id])
  await migrateAgain(old.databaseUrl, '0014-search')
  return { app: await startApp({ beside: old }), made }
}

/** Lets the documents of these people be collected while they change, and looks whether all are found. */
export async function expectCollected(app: TestApp, made: readonly Json[]): Promise<void> {
  const now = recordsOf(app)
  const found = async (search: string) => (await now.list('person', { search })).body.meta?.total_records
  expect(
    (await app.api.post('/workspaces/acme/search', { body: { query: 'angstrom', entities: ['company'] } })).status,
    'there are none',
  ).toBe(200)

  // What is written meanwhile writes its own, or leaves it to the job.
  expect((await now.patch('person', made[2]!.id, { job_title: 'Changed' })).status).toBe(200)
  expect((await now.patch('person', made[3]!.id, { avatar_url: 'https://example.com/3' })).status).toBe(200)
  await now.remove('person', [made[4]!.id])
  expect((await app.api.post(`${recordsPath('person')}/restore`, { body: { items: [made[0]!.id] } })).status).toBe(200)
  await now.create('person', { name: { full_name: 'New Ångström' } })

  await app.startJobs()
  await until(() => found('angstrom'), { everyMs: 50 })
  expect([await found('angstrom'), await found('changed'), await found('number 3 ang')]).toEqual([299, 1, 11])
  expect(
    (await app.api.post('/workspaces/acme/search', { body: { query: 'max' } })).body.data.map(
      ({ type }: { type: string }) => type,
    ),
  ).toEqual(['user'])
}
