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
    const signedAt = Date.now() + signedMs
    database.lock(() => signedAt)
    const changed = async () => (await stat(path)).ctimeMs
    await database.write((tx) => tx.change(({ knex }) => knex.raw('create table filled (number integer)')))
    // As a copy of pages that takes long changes the file.
    await until(async () => {
      await utimes(path, new Date(), new Date())
      return (await changed()) > Math.max(signedAt, (await stat(`${path}-wal`)).ctimeMs)
    })
    expect(await open(url).reader.query(({ knex }) => knex('filled').select('number'))).toEqual([])
  },
)
