import { expect, test } from 'vitest'
import { migrate } from '../../packages/server/src/db/migrate.ts'
import { migrations } from '../../packages/server/src/db/migrations/index.ts'
import { freshDatabase, key, workspaceId } from './fresh.ts'

const before = migrations.findIndex(({ name }) => name === '0080-suppressions-by-maker')
const past = 1000
const future = 4_000_000_000_000

/** API keys with the columns that they had before. */
const keys = [
  { id: key(1), key_hash: 'new', previous_hash: 'old', previous_valid_until: future, expires_at: future },
  { id: key(2), key_hash: 'plain', previous_hash: null, previous_valid_until: null, expires_at: null },
  { id: key(3), key_hash: 'ended', previous_hash: null, previous_valid_until: null, expires_at: past },
  { id: key(4), key_hash: 'ended too', previous_hash: null, previous_valid_until: null, expires_at: past },
].map((row) => ({
  ...row,
  workspace_id: workspaceId,
  name: 'A key',
  key_prefix: 'kp_',
  scopes: '[]',
  actor_type: 'user',
  created_at: 0,
  updated_at: 0,
}))

test('earlier secrets of keys stay valid, keys that expire are watched, the way down keeps one secret', async () => {
  const database = await freshDatabase()
  await migrate(database, { to: before })
  await database.write((tx) => tx.change(({ knex }) => knex('api_key').insert(keys)))
  await migrate(database)
  const ofKey = { workspace_id: workspaceId, key_id: key(1) }
  await database.write((tx) => tx.insert('retired_key', [{ ...ofKey, key_hash: 'older', valid_until: future - 1 }]))
  const retired = await database.reader.query(({ knex }) => knex('retired_key').select('*').orderBy('valid_until'))
  expect(retired).toMatchObject([{ key_hash: 'older' }, { ...ofKey, key_hash: 'old', valid_until: future }])
  const jobs = await database.reader.query<{ job_key: string; run_at: number }>(({ knex }) =>
    knex('job').select('job_key', 'run_at').where({ workspace_id: workspaceId, kind: 'credentials.ended' }),
  )
  const times = new Map(jobs.map(({ job_key, run_at }) => [job_key, run_at]))
  expect([jobs.length, times.get(key(1)), (times.get('now') ?? future) < future]).toEqual([2, future, true])
  await migrate(database, { to: before })
  const down = await database.reader.query(({ knex }) =>
    knex('api_key').select('previous_hash', 'previous_valid_until').orderBy('id'),
  )
  expect(down.slice(0, 2)).toEqual([
    { previous_hash: 'old', previous_valid_until: future },
    { previous_hash: null, previous_valid_until: null },
  ])
})

test('of several suppressions of an address, the first stays on the way down', async () => {
  const database = await freshDatabase()
  const rows = [1, 2, 3].map((id) => ({
    workspace_id: workspaceId,
    id: key(id),
    address: id === 3 ? 'other@example.com' : 'ada@example.com',
    reason: 'manual',
    created_at: 0,
    created_by: key(10 + id),
  }))
  await database.write((tx) => tx.change(({ knex }) => knex('suppression').insert(rows)))
  await migrate(database, { to: before })
  await migrate(database)
  const left = await database.reader.query<{ id: string }>(({ knex }) => knex('suppression').select('id').orderBy('id'))
  expect(left.map(({ id }) => id)).toEqual([key(1), key(3)])
})
