import { isNull } from './expressions.ts'
import type { Knex } from 'knex'
import type { Sql } from './sql.ts'
type OrderColumn = { readonly column: string; readonly descending: boolean; readonly isText: boolean }

/** Sorts by a column, texts case-insensitively; empty values come last in either direction, and the id breaks ties. */
export function inOrder<Q extends Knex.QueryBuilder>(
  sql: Sql,
  query: Q,
  { column, descending, isText }: OrderColumn,
  id: string,
): Q {
  const order = descending ? 'desc' : 'asc'
  const value: Knex.Raw = sql.knex.ref(column)
  query.orderBy(isNull(sql, value))
  query.orderBy(isText ? sql.dialect.fold(value) : value, order)
  query.orderBy(id, order)
  return query
}
