import { describe, expect, inject, test } from 'vitest'
import type { Database, ReadTx } from '../../packages/server/src/db/tx.ts'
import { inBatches, inBatchesFrom } from '../../packages/server/src/engine/batches.ts'
import { freshDatabase, migratedUrl, open } from '../db/fresh.ts'

const settingOf = async (tx: ReadTx): Promise<unknown> =>
  (
    await tx.query<{ setting: string }>(({ knex }) => knex.raw(`select current_setting('synchronous_commit') setting`))
  )[0]?.setting

describe.runIf(inject('database') === 'postgres')('commits', () => {
  test('of batches do not wait for the disk, all others do', async () => {
    const url = new URL(await migratedUrl())
    // The Postgres of the tests waits for no disk.
    url.searchParams.set('options', '-c synchronous_commit=on')
    // Two connections: one for reads, one for the changes.
    const database = open(url.href, { connectionsMax: 2 })
    const seen: unknown[] = []
    const see = async (tx: ReadTx) => void seen.push(await settingOf(tx))
    await database.write(see)
    await inBatches({ database, signal: new AbortController().signal }, async (tx) => {
      await see(tx)
      return seen.length > 2 ? 'done' : 'more'
    })
    await database.write(see)
    expect(seen).toEqual(['on', 'off', 'off', 'on'])
  })
})

/** A database that does each change twice, as after one that others have come in between. */
const doingTwice = (database: Database): Pick<Database, 'write'> => ({
  write: (work, request) =>
    database.write(async (tx) => {
      await work(tx)
      return work(tx)
    }, request),
})

test('a batch that is done again begins where it began, and the next one where it ended', async () => {
  const database = await freshDatabase()
  const signal = new AbortController().signal
  const begun: number[] = []
  const end = await inBatchesFrom({ database: doingTwice(database), signal }, 0, async (_tx, _rows, from) => {
    begun.push(from)
    return from === 2 ? undefined : from + 1
  })
  expect([begun, end]).toEqual([[0, 0, 1, 1, 2, 2], undefined])
})

test('batches that are stopped go on where the last one ended', async () => {
  const database = await freshDatabase()
  const stop = new AbortController()
  const next = await inBatchesFrom({ database, signal: stop.signal }, 'a', async (_tx, _rows, from) => {
    stop.abort()
    return `${from}b`
  })
  expect(next).toBe('ab')
  expect(await inBatchesFrom({ database, signal: stop.signal }, 'a', async () => undefined)).toBe('a')
})
