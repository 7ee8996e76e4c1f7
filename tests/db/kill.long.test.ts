import { once } from 'node:events'
import { expect, test } from 'vitest'
import { freshUrl, open } from './fresh.ts'
import { migrate } from '../../packages/server/src/db/migrate.ts'
import { start } from './programs/run.ts'

test('a process that is killed while it writes keeps what it answered, and nothing is there by half', async () => {
  const url = await freshUrl()
  const database = open(url)
  await migrate(database)
  const child = start('write-until-killed', url)
  await expect.poll(() => child.output().split('\n').length, { timeout: 10_000 }).toBeGreaterThan(500)
  child.kill('SIGKILL')
  await once(child, 'close')
  const answered = child.output().split('\n').slice(0, -1).map(Number)
  const rows = await database.reader.query<{ delta: number; halves: number }>(({ knex }) =>
    knex('record_count_delta').select('delta').count('* as halves').groupBy('delta'),
  )
  expect(rows.filter(({ halves }) => halves !== 2)).toEqual([])
  const there = new Set(rows.map(({ delta }) => delta))
  expect(answered.filter((number) => !there.has(number))).toEqual([])
  await database.write((tx) => tx.change(({ knex }) => knex('record_count_delta').delete()))
})
