import { expect, inject, test } from 'vitest'
import { distributeDatabase } from '../harness/citus.ts'
import { migratedDatabase, openAt } from '../harness/database.ts'

test('a database that cannot be distributed says why, and stays as it is', async () => {
  const { url, remove } = await migratedDatabase()
  const database = openAt(url)
  const reason =
    inject('database') === 'sqlite' ? /^SQLite is one file/ : /^The extension citus is not in this database/
  await expect(async () => distributeDatabase(database)).rejects.toThrow(reason)
  await database.close()
  await remove()
})
