import type { Knex } from 'knex'
import { allOf, anyOf, isNotTrue, isNull } from './expressions.ts'
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
  if (column !== id) {
    query.orderBy(isNull(sql, value))
    query.orderBy(isText ? sql.dialect.fold(value) : value, order)
  }
  query.orderBy(id, order)
  return query
}

type Value = string | number | null

/** A part of a list in order: the rows beyond a position, or else those after an offset. */
export type Slice = {
  readonly offset: number
  readonly rows: number
  /** The position wins over the offset; rows `before` it are read backwards, the nearest first. */
  readonly beyond?: { readonly value: Value; readonly id: string; readonly direction: 'after' | 'before' } | undefined
}

/** Narrows a query to a slice in the order of `inOrder`. */
export function sliceInOrder<Q extends Knex.QueryBuilder>(
  sql: Sql,
  query: Q,
  order: OrderColumn,
  id: string,
  { offset, rows, beyond }: Slice,
): Q {
  query.limit(rows)
  if (beyond === undefined) {
    inOrder(sql, query, order, id)
    if (offset > 0) query.offset(offset)
    return query
  }
  if (beyond.direction === 'after') inOrder(sql, query, order, id)
  else reversed(sql, query, order, id)
  query.where(isBeyond(sql, order, id, beyond))
  return query
}

/** The order of `inOrder`, from its end. */
function reversed(sql: Sql, query: Knex.QueryBuilder, { column, descending, isText }: OrderColumn, id: string): void {
  const order = descending ? 'asc' : 'desc'
  const value: Knex.Raw = sql.knex.ref(column)
  if (column !== id) {
    query.orderBy(isNull(sql, value), 'desc')
    query.orderBy(isText ? sql.dialect.fold(value) : value, order)
  }
  query.orderBy(id, order)
}

/** A condition for the rows beyond a position in reading direction; empty values are last, whatever the order is. */
function isBeyond(
  sql: Sql,
  { column, descending, isText }: OrderColumn,
  id: string,
  { value, id: lastId, direction }: NonNullable<Slice['beyond']>,
): Knex.Raw {
  const stored: Knex.Raw = sql.knex.ref(column)
  const compared = isText ? sql.dialect.fold(stored) : stored
  const isForward = direction === 'after'
  const beyond: Knex.Raw = sql.knex.raw(descending === isForward ? '<' : '>')
  const byId = sql`${sql.ref(id)} ${beyond} ${lastId}`
  if (column === id) return byId
  const empty = isNull(sql, stored)
  if (value === null) return isForward ? allOf(sql, [empty, byId]) : anyOf(sql, [isNotTrue(sql, empty), byId])
  const at = isText ? sql.dialect.fold(sql`${value}`) : sql`${value}`
  const byValue = anyOf(sql, [sql`${compared} ${beyond} ${at}`, allOf(sql, [sql`${compared} = ${at}`, byId])])
  return isForward ? anyOf(sql, [byValue, empty]) : byValue
}
