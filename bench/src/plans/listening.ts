import type { AppOptions } from '@kontor/server'
import { overriding } from '../overriding.ts'

type Database = AppOptions['database']
type Reader = Database['reader']

/** A query as it goes to the database: its text in the database's own words, and the values of its parameters. */
export type Statement = { readonly text: string; readonly values: readonly unknown[] }

/** A database that reports every query that is read through it. */
export function listening(database: Database, note: (statement: Statement) => void): Database {
  const { reader } = database
  const executor: Reader['executor'] = {
    ...reader.executor,
    send: (query) => {
      note({ text: query.text, values: query.values })
      return reader.executor.send(query)
    },
  }
  const ReadHandle = reader.constructor as new (given: Reader['executor']) => Reader
  return overriding(database, { reader: new ReadHandle(executor) })
}
