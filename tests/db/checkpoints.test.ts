import { statSync } from 'node:fs'
import { describe, expect, inject, test, vi } from 'vitest'
import type { SqliteDatabase } from '../../packages/server/src/db/sqlite-database.ts'
import { connect, freshSqlite, key, workspaceId } from './fresh.ts'
import { isFull } from '../harness/size.ts'

const pageBytes = 8192

/** Writes so many rows of a page or more each, in commits of a hundred. */
async function fill(database: SqliteDatabase, from: number, until: number): Promise<void> {
  for (let start = from; start < until; start += 100) {
    const rows = Array.from({ length: 100 }, (_, index) => ({
      workspace_id: workspaceId,
      id: key(start + index),
      sequence: start + index,
      type: 'a',
      actor: {},
      silent: true,
      payload: { text: 'x'.repeat(pageBytes) },
      created_at: 1,
    }))
    await database.write((tx) => tx.insert('event', rows))
  }
}

type Log = { readonly log: number; readonly checkpointed: number }

const logOf = (path: string): Log => connect(path).first('pragma wal_checkpoint(noop)', []) as Log

describe.runIf(inject('database') === 'sqlite')('the log of SQLite', () => {
  test.runIf(isFull())('is copied into the file behind the commits, and begins anew', async () => {
    const { database, path } = await freshSqlite({ readersMax: 1 })
    await fill(database, 0, 2000)
    await vi.waitFor(() => expect(logOf(path).checkpointed).toBeGreaterThan(1000), { timeout: 30_000 })
    await fill(database, 2000, 5000)
    let rows = 5000
    // A copy that has failed is made up for behind a later commit.
    const caughtUp = async (): Promise<void> => {
      await fill(database, rows, (rows += 100))
      expect(logOf(path).log - logOf(path).checkpointed).toBeLessThan(1000)
    }
    await vi.waitFor(caughtUp, { timeout: 30_000, interval: 200 })
    while (rows < 40_000 && logOf(path).log >= 1000) await fill(database, rows, (rows += 100))
    expect(logOf(path).log).toBeLessThan(1000)
    expect(connect(path).first('select count(*) as total from event', [])).toEqual({ total: rows })
  })

  test('is cut when it begins anew, after a long read had kept it from that', async () => {
    const { database, path } = await freshSqlite({ readersMax: 0 })
    const reader = connect(path)
    reader.exec('begin')
    reader.first('select count(*) as total from event', [])
    await fill(database, 0, 5000)
    expect(statSync(`${path}-wal`).size / pageBytes).toBeGreaterThan(5000)
    reader.exec('commit')
    await fill(database, 5000, 5200)
    expect(statSync(`${path}-wal`).size / pageBytes).toBeLessThan(1200)
  })

  test('is copied by SQLite itself where no reader can be had', async () => {
    const { database, path } = await freshSqlite({ readersMax: 0 })
    await fill(database, 0, 8000)
    expect(statSync(`${path}-wal`).size / pageBytes).toBeLessThan(6000)
    expect(connect(path).first('select count(*) as total from event', [])).toEqual({ total: 8000 })
  })
})
