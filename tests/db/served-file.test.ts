import { statSync } from 'node:fs'
import { stat, utimes } from 'node:fs/promises'
import { expect, inject, test } from 'vitest'
import { until } from '../harness/until.ts'
import { freshSqlite, open } from './fresh.ts'

/** A server signs its lock file this long after it has made it, at least. */
const signedMs = 100

test.runIf(inject('database') === 'sqlite')(
  'a command beside a server is not refused, however long ago the server could say that it is alive',
  async () => {
    const { database, url, path } = await freshSqlite()
    const signedAt = (): number => statSync(`${path}-lock`).birthtimeMs + signedMs
    database.lock(signedAt)
    await database.write((tx) => tx.change(({ knex }) => knex.raw('create table filled (number integer)')))
    // Its status changes, as by a copy of pages that takes long.
    await until(async () => {
      await utimes(path, 0, 0)
      return (await stat(path)).ctimeMs > Math.max(signedAt(), (await stat(`${path}-wal`)).ctimeMs)
    })
    expect(await open(url).reader.query(({ knex }) => knex('filled').select('number'))).toEqual([])
  },
)
