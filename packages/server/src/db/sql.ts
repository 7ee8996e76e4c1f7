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
  return Object.assign(template, { dialect: dialectOf(template) })
}
