import type { Knex } from 'knex'
import { isList, memberOf } from '../lib/guards.ts'
import { withSingles, type Sql } from './sql.ts'

/** A query compiled once for each dialect and prepared once for each connection. Made by `statement()`. */
export type Statement<Args, R> = {
  readonly build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw
  readonly types?: { readonly args: Args; readonly row: R }
}

/** A placeholder in a query for a value that is passed at each call, by its name or its place. */
class Parameter {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }

  valueIn(args: unknown): unknown {
    return isList(args) ? args[Number(this.name)] : memberOf(args, this.name)
  }
}

/** A placeholder for the only item of a list. */
class OnlyItem extends Parameter {
  isIn(args: unknown): boolean {
    return this.#listIn(args).length === 1
  }

  override valueIn(args: unknown): unknown {
    return this.#listIn(args)[0]
  }

  #listIn(args: unknown): readonly unknown[] {
    const list = super.valueIn(args)
    return isList(list) ? list : []
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

export type Compiled = {
  readonly text: string
  readonly values: (args: unknown) => unknown[]
  /** As in a query. */
  readonly byValues?: boolean
}

/** SQL with the dialect's own placeholders, and the function that puts a call's arguments into their order. */
export function compile(built: Knex.QueryBuilder | Knex.Raw): Compiled {
  const { sql, bindings } = built.toSQL().toNative()
  return { text: sql, values: valuesOf(bindings) }
}

const valuesOf =
  (bindings: readonly unknown[]): Compiled['values'] =>
  (args) =>
    bindings.map((value) => (value instanceof Parameter ? value.valueIn(args) : value))

/**
 * The same with its constants in the text: in a plan for all values, Postgres proves nothing of a parameter, and so
 * uses no partial index that the constant would permit (docs/decisions/0366).
 */
function withConstants(built: Knex.QueryBuilder | Knex.Raw): Compiled {
  const { sql, bindings } = built.toSQL().toNative()
  const kept: unknown[] = []
  const text = sql.replaceAll(/\$(\d+)/g, (_, number) => {
    const value: unknown = bindings[Number(number) - 1]
    return literalOf(value) ?? `$${kept.push(value)}`
  })
  return { text, values: valuesOf(kept) }
}

/** A text, number or boolean in SQL; undefined for everything else. */
function literalOf(value: unknown): string | undefined {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  return typeof value === 'number' || typeof value === 'boolean' ? `(${value})` : undefined
}

type Declared = Pick<Statement<unknown, unknown>, 'build'>

export type StatementCache = (declared: Declared, args: unknown) => Compiled

/** Compiles each statement at its first use and keeps it as long as the statement object lives. */
export function statementCache(sql: Sql): StatementCache {
  const known = new WeakMap<Declared, (args: unknown) => Compiled>()
  return (declared, args) => {
    let choose = known.get(declared)
    if (choose === undefined) known.set(declared, (choose = variants(sql, declared)))
    return choose(args)
  }
}

/** A statement with lists has two texts: one for lists of one item, and one for all others. */
function variants(sql: Sql, { build }: Declared): (args: unknown) => Compiled {
  const items: OnlyItem[] = []
  const itemsOf = (values: unknown): readonly unknown[] => {
    if (!(values instanceof Parameter)) return isList(values) ? values : []
    const item = new OnlyItem(values.name)
    items.push(item)
    return [item]
  }
  const compiled = sql.dialect.name === 'postgres' ? withConstants : compile
  const single = compiled(build(withSingles(sql, itemsOf)))
  if (items.length === 0) return () => single
  const several = { ...compiled(build(sql)), byValues: true }
  return (args) => (items.every((item) => item.isIn(args)) ? single : several)
}
