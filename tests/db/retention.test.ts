import { expect, test } from 'vitest'
import { eventUpkeep } from '../../packages/server/src/modules/events/log/store.ts'
import { answerUpkeep } from '../../packages/server/src/modules/requests/store.ts'
import type { Database } from '../../packages/server/src/db/tx.ts'
import { freshDatabase } from './fresh.ts'

const hour = 3_600_000
const day = 24 * hour
const now = 1_800_000_000_000
const workspaces = ['a', 'b', 'c'].map((letter) => `01900000-0000-7000-8000-00000000000${letter}`)
const id = (number: number): string => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`

/** Events of a workspace, each so many milliseconds old. */
const addEvents = (database: Database, workspaceId: string, ages: readonly number[]): Promise<void> =>
  database.write(async (tx) => {
    const rest = { type: 'record.updated', object: null, record_id: null, actor: {}, silent: false, payload: {} }
    await tx.insert(
      'event',
      ages.map((age, index) => ({
        workspace_id: workspaceId,
        sequence: index + 1,
        id: id(index),
        ...rest,
        created_at: now - age,
      })),
    )
    await tx.insert('event_head', [{ workspace_id: workspaceId, last_sequence: ages.length }])
  })

const left = async (database: Database, workspaceId: string): Promise<number[]> =>
  (
    await database.reader.query<{ sequence: number }>(({ knex }) =>
      knex('event').select('sequence').where('workspace_id', workspaceId).orderBy('sequence'),
    )
  ).map(({ sequence }) => sequence)

/** Batches in each workspace that has something to do, until there is no more; how many there were. */
async function batchesOf(database: Database, { due, batch }: typeof eventUpkeep): Promise<number> {
  let batches = 0
  for (const workspaceId of await due(database.reader, now)) {
    const next = () => database.write((tx) => batch(tx, workspaceId, now))
    while (await next()) batches++
    batches++
  }
  expect(await due(database.reader, now)).toEqual([])
  return batches
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

test('events go after thirty days, in batches, and what is left has no gaps', async () => {
  const database = await freshDatabase()
  await addEvents(database, workspaces[0]!, [...times(500, 31 * day), 30 * day - 1, 31 * day, 0])
  await addEvents(database, workspaces[1]!, [hour, 0])
  await addEvents(database, workspaces[2]!, [40 * day, 35 * day])
  expect(await eventUpkeep.due(database.reader, now)).toEqual([workspaces[0], workspaces[2]])
  expect(await batchesOf(database, eventUpkeep)).toBeGreaterThan(3)
  // One that is younger than its successor holds that one back until its own time has come.
  expect(await left(database, workspaces[0]!)).toEqual([501, 502, 503])
  expect(await left(database, workspaces[1]!)).toEqual([1, 2])
  expect(await left(database, workspaces[2]!)).toEqual([])
})

const answer = (key: number, age: number) => ({
  workspace_id: workspaces[key % 3]!,
  actor_id: 'someone',
  endpoint: 'records.create',
  idempotency_key: `key ${key}`,
  request_hash: 'h',
  status: 201,
  body: {},
  headers: {},
  created_at: now - age,
})

test('the answers of requests go after a day, in batches, and no younger one', async () => {
  const database = await freshDatabase()
  await database.write((tx) =>
    tx.insert('idempotency', [
      ...times(350, day).map((age, key) => answer(key, age)),
      answer(1000, day - 1),
      answer(1001, 0),
    ]),
  )
  // 117, 117 and 116 of the three workspaces.
  expect(await batchesOf(database, answerUpkeep)).toBe(6)
  const kept = await database.reader.query<{ idempotency_key: string }>(({ knex }) =>
    knex('idempotency').select('idempotency_key').orderBy('idempotency_key'),
  )
  expect(kept.map((row) => row.idempotency_key)).toEqual(['key 1000', 'key 1001'])
})
