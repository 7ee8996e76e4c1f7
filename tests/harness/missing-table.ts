import { openAt } from './database.ts'

/**
 * Does something while a table is not there: its readers fail. If a transaction holds it, this waits.
 */
export async function withoutTable(databaseUrl: string, table: string, work: () => Promise<void>): Promise<void> {
  const database = openAt(databaseUrl)
  const rename = (from: string, to: string) =>
    database.write((tx) => tx.change(({ knex }) => knex.raw('alter table ?? rename to ??', [from, to])))
  const elsewhere = `${table}_elsewhere`
  await rename(table, elsewhere)
  try {
    await work()
  } finally {
    await rename(elsewhere, table)
    await database.close()
  }
}

export const withoutRecords = (databaseUrl: string, work: () => Promise<void>): Promise<void> =>
  withoutTable(databaseUrl, 'record', work)
