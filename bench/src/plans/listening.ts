import type { AppOptions } from '@kontor/server'
import { overriding } from '../overriding.ts'

type Database = AppOptions['database']
type Reader = Database['reader']
type Built = ReturnType<Parameters<Reader['query']>[0]>

/** A query as it goes to the database: its text in the database's own words, and the values of its parameters. */
export type Statement = { readonly text: string; readonly values: readonly unknown[] }

/** A database that reports every query that is read through it. */
export function listening(database: Database, note: (statement: Statement) => void): Database {
  const { reader } = database
  const noted = <B extends Built>(built: B, args: unknown): B => {
    const { sql, bindings } = (built as unknown as Compilable).toSQL().toNative()
    note({
      text: sql,
      values: bindings.map((binding) =>
        isParameter(binding) ? (args as Record<string, unknown>)[binding.name] : binding,
      ),
    })
    return built
  }
  const listener: Reader = overriding(reader, {
    all: (statement, args, options) => reader.all({ build: (sql) => noted(statement.build(sql), args) }, args, options),
    first: (statement, args) => reader.first({ build: (sql) => noted(statement.build(sql), args) }, args),
    query: (build, options) => reader.query((sql) => noted(build(sql), undefined), options),
  })
  return overriding(database, { reader: listener })
}

type Compilable = { toSQL(): { toNative(): { readonly sql: string; readonly bindings: readonly unknown[] } } }

/** What `param()` of the server leaves in a statement that is compiled once. */
const isParameter = (binding: unknown): binding is { readonly name: string } =>
  binding?.constructor.name === 'Parameter'
