import type { Knex } from 'knex'

/**
 * SQL with values: sql`r.id = ${id} and ${condition}`. A value becomes a binding, a fragment or a query (in
 * parentheses) a part of the text. The result is Knex's own, so it goes wherever the query builder takes one.
 */
export interface Template {
  (strings: TemplateStringsArray, ...values: readonly unknown[]): Knex.Raw
  readonly knex: Knex
  /** The name of a table or column, quoted: `name`, `table.name` or `table.*`. */
  readonly ref: (name: string) => Knex.Raw
  /** Values or fragments in a row, with a text such as a comma between them. */
  readonly join: (parts: readonly unknown[], separator: string) => Knex.Raw
}

export function templateOf(knex: Knex): Template {
  const raw = (text: string, values: readonly unknown[]): Knex.Raw => knex.raw(text, values as Knex.RawBinding[])
  const template = (strings: TemplateStringsArray, ...values: readonly unknown[]): Knex.Raw =>
    raw(strings.join('?'), values)
  return Object.assign(template, {
    knex,
    ref: (name: string) => raw('??', [name]),
    join: (parts: readonly unknown[], separator: string) => raw(parts.map(() => '?').join(separator), parts),
  })
}

/** A table by its name, or a query used as a table. */
export const tableOr = (sql: Template, table: string | Knex.QueryBuilder | Knex.Raw): Knex.Raw =>
  typeof table === 'string' ? sql.ref(table) : sql`${table}`
