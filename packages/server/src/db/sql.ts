import type { Knex } from 'knex'
import type { Dialect } from './dialect.ts'
import { templateOf, type Template } from './template.ts'

/**
 * The tools that a query is built with: a template for SQL, Knex without a connection, and the expressions in which the
 * databases differ.
 */
export type Sql = Template & { readonly dialect: Dialect }

export function sqlOf(knex: Knex, dialectOf: (sql: Template) => Dialect): Sql {
  const template = templateOf(knex)
  return withSingles(Object.assign(template, { dialect: dialectOf(template) }), (values) => values)
}

/**
 * The same tools, whose `oneOf` compares a single value as such: a plan for a list assumes ten items, and reads an
 * index from end to end where that seems shorter. `itemsOf` returns the values of a list, as far as they are known.
 */
export function withSingles(sql: Sql, itemsOf: (values: readonly string[]) => readonly unknown[]): Sql {
  const oneOf: Dialect['oneOf'] = (column, values, kind) => {
    const items = itemsOf(values)
    return items.length === 1 ? sql`${sql.ref(column)} = ${items[0]}` : sql.dialect.oneOf(column, values, kind)
  }
  return Object.assign(templateOf(sql.knex), { dialect: { ...sql.dialect, oneOf } })
}
