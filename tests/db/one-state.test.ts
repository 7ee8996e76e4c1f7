import { expect, test } from 'vitest'
import type { ReadTx } from '../../packages/server/src/db/tx.ts'
import { freshDatabase, workspaceId } from './fresh.ts'

const heavies = [false, true, 'scan'] as const

const objectsIn = async (tx: ReadTx, heavy: boolean | 'scan'): Promise<number> => {
  const [row] = await tx.query<{ total: number }>(
    ({ knex }) => knex('record_count').where('workspace_id', workspaceId).count('* as total'),
    { heavy },
  )
  return Number(row?.total)
}

test.each(heavies.flatMap((first) => heavies.map((then) => [first, then] as const)))(
  'reads of one state, heavy: %s and then %s, see none of the writes that come between them',
  async (first, then) => {
    const database = await freshDatabase()
    let writes = 0
    const write = () =>
      database.write((tx) =>
        tx.insert('record_count', [{ workspace_id: workspaceId, object: String(++writes), total: 1 }]),
      )
    const [before, after] = await database.reader.inOneState(async (tx) => {
      const found = await objectsIn(tx, first)
      await write()
      return [found, await objectsIn(tx, then)]
    })
    expect(after).toBe(before)
    // Rows that were written while it was read are there for the next readers.
    expect(await database.reader.inOneState((tx) => objectsIn(tx, then))).toBe(writes)
  },
)

test('many states at once wait for their turns and not for each other', async () => {
  const database = await freshDatabase({ connectionsMax: 4, readersMax: 1 })
  const totals = Array.from({ length: 20 }, () =>
    database.reader.inOneState(async (tx) => {
      const found: number[] = []
      for (const heavy of heavies) found.push(await objectsIn(tx, heavy))
      return found
    }),
  )
  for (const found of await Promise.all(totals)) expect(found).toEqual([0, 0, 0])
})

test('a failure ends a state, and the next one is sound', async () => {
  const database = await freshDatabase()
  const failing = database.reader.inOneState((tx) => tx.query(({ knex }) => knex.raw('select missing from nowhere')))
  await expect(failing).rejects.toThrow('nowhere')
  expect(await database.reader.inOneState((tx) => objectsIn(tx, true))).toBe(0)
})
