import { openAt } from './database.ts'

/**
 * Does something while the table of records is not there: its readers fail. If a transaction holds it, this waits.
 */
export async function withoutRecords(databaseUrl: string, work: () => Promise<void>): Promise<void> {
  const database = openAt(databaseUrl)
  const rename = (from: string, to: string) =>
    database.write((tx) => tx.change(({ knex }) => knex.raw('alter table ?? rename to ??', [from, to])))
  await rename('record', 'record_elsewhere')
  try {
    await work()
  } finally {
    await rename('record_elsewhere', 'record')
    await database.close()
  }
}
