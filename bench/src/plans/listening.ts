import type { AppOptions } from '@kontor/server'
import { ReadTx } from '@kontor/server/admin'
import { overriding } from '../overriding.ts'

type Database = AppOptions['database']

/** A query as it goes to the database: its text in the database's own words, and the values of its parameters. */
export type Statement = { readonly text: string; readonly values: readonly unknown[] }

/** A database that reports every query that is read through it. */
export function listening(database: Database, note: (statement: Statement) => void): Database {
  const { executor } = database.reader
  const reader = new ReadTx({
    ...executor,
    send: (query) => {
      note(query)
      return executor.send(query)
    },
  })
  return overriding(database, { reader })
}
