import { describe, expect, inject, test } from 'vitest'
import type { ReadTx } from '../../packages/server/src/db/tx.ts'
import { inBatches } from '../../packages/server/src/engine/batches.ts'
import { migratedUrl, open } from '../db/fresh.ts'

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
