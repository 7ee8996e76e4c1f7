import { expect, inject, test } from 'vitest'
import { until } from '../harness/until.ts'
import { freshDatabase, workspaceId } from './fresh.ts'

test('a batch knows whether others are at work meanwhile', async () => {
  const database = await freshDatabase()
  const isAlone = (): Promise<boolean> => database.write((tx) => tx.isAlone())
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

test.runIf(inject('database') === 'sqlite')('a workspace counts, and work of the server itself does not', async () => {
  const database = await freshDatabase()
  await database.reader.query(({ knex }) => knex('workspace').select('id'))
  expect(await database.write((tx) => tx.isAlone())).toBe(true)
  const ofWorkspace = (): Promise<boolean> => database.write((tx) => tx.isAlone(), { party: workspaceId })
  await until(async () => !(await ofWorkspace()), { what: 'the workspace' })
})
