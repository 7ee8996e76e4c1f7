import { isNull } from './expressions.ts'
import type { Knex } from 'knex'
import type { Sql } from './tx.ts'

type OrderColumn = { readonly column: string; readonly descending: boolean; readonly isText: boolean }

/** Sorts by a column, texts case-insensitively; empty values come last in either direction, and the id breaks ties. */
export function inOrder<Q extends Knex.QueryBuilder>(
  sql: Sql,
  query: Q,
  { column, descending, isText }: OrderColumn,
  id: string,
): Q {
  const order = descending ? 'desc' : 'asc'
  const value = sql.knex.ref(column) as unknown as Knex.Raw
  const by = [isNull(sql, value), isText ? sql.dialect.fold(value) : value] as unknown as [string, string]
  return query.orderBy([{ column: by[0] }, { column: by[1], order }, { column: id, order }]) as Q
}
