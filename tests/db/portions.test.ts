import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import type { Database, ReadTx, Tx } from '../../packages/server/src/db/tx.ts'
import { freshSqlite, key, workspaceId } from './fresh.ts'

/** More than one portion, on any machine. */
const many = 20_000

const add = (tx: Tx, from: number, count: number): Promise<void> =>
  tx.insert(
    'record_count_delta',
    Array.from({ length: count }, (_, index) => ({
      workspace_id: workspaceId,
      object: 'people',
      id: key(from + index),
      delta: 1,
    })),
  )

async function countIn(tx: ReadTx): Promise<number> {
  const [counted] = await tx.query<{ total: number }>(({ knex }) =>
    knex('record_count_delta').where({ workspace_id: workspaceId }).count('* as total'),
  )
  return counted?.total ?? 0
}

const count = (database: Database): Promise<number> => countIn(database.reader)

describe.runIf(inject('database') === 'sqlite')('a long change on SQLite', () => {
  test('lets reads have their turn, which see nothing of it before the commit', async () => {
    const { database } = await freshSqlite()
    const seen: string[] = []
    const long = database.write((tx) => add(tx, 0, many)).then(() => seen.push('committed'))
    await nextTurn()
    seen.push(`read ${await count(database)}`)
    await long
    expect(seen).toEqual(['read 0', 'committed'])
    expect(await count(database)).toBe(many)
  })

  test('takes back an attempt whose statement fails in a later portion, though nobody awaited it', async () => {
    const { database } = await freshSqlite()
    await database.write(async (tx) => {
      const failed = tx.attempt(async (inner) => {
        void add(inner, 0, many)
        void add(inner, many - 1, 1)
      })
      await expect(failed).rejects.toThrow(/UNIQUE/)
      await add(tx, many, 1)
    })
    expect(await count(database)).toBe(1)
  })

  test('keeps the order of its statements, whether or not they are awaited', async () => {
    const { database } = await freshSqlite()
    const counts = await database.write(async (tx) => {
      const long = add(tx, 0, many)
      const asked = countIn(tx)
      const inAttempt = tx.attempt(async (inner) => {
        void add(inner, many, 1)
        return countIn(inner)
      })
      await long
      return Promise.all([asked, inAttempt])
    })
    expect(counts).toEqual([many, many + 1])
    expect(await count(database)).toBe(many + 1)
  })

  test('leaves nothing behind where it fails, whatever is still to be written', async () => {
    const { database } = await freshSqlite()
    const failed = database.write(async (tx) => {
      void add(tx, 0, many)
      void add(tx, many, 1)
      await nextTurn()
      throw new Error('no')
    })
    const next = database.write((tx) => add(tx, 0, 1))
    await expect(failed).rejects.toThrow('no')
    await next
    await nextTurn()
    expect(await count(database)).toBe(1)
  })
})
