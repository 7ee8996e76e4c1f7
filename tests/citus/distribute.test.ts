import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { distributeDatabase, prepareCitus } from '../harness/citus.ts'
import { distributionAt, migrateAgain, migrateAt, openAt } from '../harness/database.ts'
import { createDatabase } from '../harness/postgres.ts'
import { recordsOf } from '../harness/records.ts'

/** An empty database on the coordinator; it goes with the cluster. */
async function emptyOnCluster(): Promise<string> {
  const url = await createDatabase(`citus_${randomUUID().replaceAll('-', '')}`)
  await prepareCitus(url)
  return url
}

const shards = 4

test('a database in use is distributed while a server serves it; all is there afterwards', async () => {
  const url = await emptyOnCluster()
  const app = await startApp({ databaseUrl: url })
  const records = recordsOf(app)
  const names = Array.from({ length: 30 }, (_, index) => `Company ${index}`)
  for (const name of names.slice(0, 10)) await records.create('company', { name })
  const database = openAt(url)
  const [distribution, ...written] = await Promise.all([
    distributeDatabase(database, { shards }),
    ...names.slice(10).map((name) => records.post('company', { name })),
  ])
  expect(written.map(({ status }) => status)).toEqual(names.slice(10).map(() => 201))
  expect(distribution).toMatchObject({ shards, nodes: [{ is_coordinator: true, is_active: true, shards }] })
  const { body } = await app.api.get('/workspaces/acme/objects/company/resources', { query: { 'page[limit]': 100 } })
  const listed = body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name)
  expect(listed.toSorted()).toEqual(names.toSorted())
  expect(await distributeDatabase(database)).toEqual(distribution)
  await expect(distributeDatabase(database, { shards: 8 })).rejects.toThrow(/already have 4 shards/)
  await database.close()
})

test('migrations after the distribution keep to it', async () => {
  const url = await emptyOnCluster()
  await migrateAt(url)
  const database = openAt(url)
  const distribution = await distributeDatabase(database, { shards })
  await database.close()
  await migrateAgain(url)
  expect(await distributionAt(url)).toEqual(distribution)
})

test('a table that is distributed in another way is named', async () => {
  const url = await emptyOnCluster()
  await migrateAt(url)
  const database = openAt(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query("select create_reference_table('session')")
  await client.end()
  await expect(distributeDatabase(database)).rejects.toThrow(/^The table session is not distributed as Kontor requires/)
  await database.close()
})
