import { openAt } from './database.ts'

/**
 * Holds a record like a change that does not come to an end: on Postgres its row, on SQLite, which has one writer,
 * everything. Let go by what it returns.
 */
export async function holdRecord(databaseUrl: string, id: string): Promise<() => Promise<void>> {
  const database = openAt(databaseUrl)
  const { promise: released, resolve: letGo } = Promise.withResolvers<void>()
  let done: Promise<void> = Promise.resolve()
  await new Promise<void>((held, failed) => {
    done = database.write(async (tx) => {
      await tx.change(({ knex }) =>
        knex('record')
          .where('id', id)
          .update({ visibility: knex.ref('visibility') }),
      )
      held()
      await released
    })
    done.catch(failed)
  })
  return async () => {
    letGo()
    await done
    await database.close()
  }
}
