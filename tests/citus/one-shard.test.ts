import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migratedDatabase } from '../harness/database.ts'
import { sentToShards } from '../harness/sent-to-shards.ts'

const scratch = await migratedDatabase()
const workspace = '01890000-0000-7000-8000-000000000001'
/** Named as the connections of a server are. */
const client = new pg.Client({ connectionString: scratch.url, application_name: 'kontor' })

beforeAll(() => client.connect())
afterAll(async () => {
  await client.end()
  await scratch.remove()
})

test('a statement that runs on several shards is found', async () => {
  await client.query('select count(*) from record')
  expect(await sentToShards()).toEqual(['select count(*) from record'])
})

test('a statement of one workspace, of the directory, or of upkeep is not found', async () => {
  await client.query('select count(*) from record where workspace_id = $1', [workspace])
  await client.query('select count(*) from workspace')
  await client.query('select * from kontor_workspaces_in($1)', ['outbox'])
  await client.query('select from record where workspace_id = $1 and nothing', [workspace]).catch(() => undefined)
  expect(await sentToShards()).toEqual([])
})
