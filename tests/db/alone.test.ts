import { expect, inject, test } from 'vitest'
import { until } from '../harness/until.ts'
import { freshDatabase } from './fresh.ts'

test('a batch knows whether others are at work meanwhile', async () => {
  const database = await freshDatabase()
  const isAlone = (): Promise<boolean> => database.write((tx) => tx.isAlone(), { isDoneAgain: true })
  const other = Promise.withResolvers<void>()
  await until(isAlone, { what: 'a moment without others' })
  const read = database.reader.inOneState(
    async (tx) => {
      await tx.query(({ knex }) => knex('workspace').select('id'))
      await other.promise
    },
    { isLong: true },
  )
  await until(async () => !(await isAlone()), { what: 'the other one' })
  other.resolve()
  await read
  await until(isAlone, { what: 'the end of the other one' })
})

test.runIf(inject('database') === 'sqlite')('transactions count, reads of the server and batches do not', async () => {
  const database = await freshDatabase()
  await database.reader.query(({ knex }) => knex('workspace').select('id'))
  const isAlone = (isDoneAgain: boolean) => database.write((tx) => tx.isAlone(), { isDoneAgain })
  expect([await isAlone(true), await isAlone(true)]).toEqual([true, true])
  await until(async () => !(await isAlone(false)), { what: 'the transaction' })
})
