import type { Knex } from 'knex'
import { memberOf } from '../lib/guards.ts'
import type { Sql } from './sql.ts'

/** A query compiled once for each dialect and prepared once for each connection. Made by `statement()`. */
export type Statement<Args, R> = {
  readonly build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw
  readonly types?: { readonly args: Args; readonly row: R }
}

/** A placeholder in a query for a value that is passed at each call. */
class Parameter {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Typed as a value of any column, since Knex wants the column's type where only the call has the value. */
export function param(name: string): never
export function param(name: string): unknown {
  return new Parameter(name)
}

/**
 * Declares a query that is compiled once: `statement<{ id: string }, Row>(({ knex }) => knex('t').where('id',
 * param('id')))`.
 */
export const statement = <Args, Row>(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw): Statement<Args, Row> => ({
  build,
})

export type Compiled = { readonly text: string; readonly values: (args: unknown) => unknown[] }

/** SQL with the dialect's own placeholders, and the function that puts a call's arguments into their order. */
export function compile(built: Knex.QueryBuilder | Knex.Raw): Compiled {
  const { sql, bindings } = built.toSQL().toNative()
  return {
    text: sql,
    values: (args) => bindings.map((value) => (value instanceof Parameter ? memberOf(args, value.name) : value)),
  }
}

type Declared = Pick<Statement<unknown, unknown>, 'build'>

export type StatementCache = (declared: Declared) => Compiled

/** Compiles each statement at its first use and keeps it as long as the statement object lives. */
export function statementCache(sql: Sql): StatementCache {
  const compiled = new WeakMap<Declared, Compiled>()
  return (declared) => {
    let found = compiled.get(declared)
    if (found === undefined) {
      found = compile(declared.build(sql))
      compiled.set(declared, found)
    }
    return found
  }
}
