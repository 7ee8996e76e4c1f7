import type { Knex } from 'knex'
import { allOf, anyOf, isNotTrue, isNull, tupleAfter } from './expressions.ts'
import type { Sql } from './sql.ts'

type OrderColumn = {
  readonly column: string
  readonly descending: boolean
  readonly isText: boolean
  /** No row lacks a value, so an index with the column and the id has the rows in order. */
  readonly isAlwaysSet?: boolean
  /** Returns the expression to compare instead of the column, where rows show another value than is stored. */
  readonly shown?: (sql: Sql, stored: Knex.Raw) => Knex.Raw
}

type Value = string | number | null

/** A part of a list in order: the rows beyond a position, or else those after an offset. */
export type Slice = {
  readonly offset: number
  readonly rows: number
  /** The position wins over the offset; rows `before` it are read backwards, the nearest first. */
  readonly beyond?: { readonly value: Value; readonly id: string; readonly direction: 'after' | 'before' } | undefined
}

/**
 * Sorts the rows of a slice in the order that it is read in, or in that order from its end: by a column, texts
 * case-insensitively; empty values come last in either direction, and the id breaks ties.
 */
export function inReadingOrder<Q extends Knex.QueryBuilder>(
  sql: Sql,
  query: Q,
  order: OrderColumn,
  id: string,
  { beyond }: Pick<Slice, 'beyond'>,
): Q {
  return sorted(sql, query, order, id, order.descending === (beyond?.direction !== 'before'))
}

/** Narrows a query to a slice in the order of `inReadingOrder`. */
export function sliceInOrder<Q extends Knex.QueryBuilder>(
  sql: Sql,
  query: Q,
  order: OrderColumn,
  id: string,
  { offset, rows, beyond }: Slice,
): Q {
  inReadingOrder(sql, query, order, id, { beyond }).limit(rows)
  if (beyond !== undefined) query.where(isBeyond(sql, order, id, beyond))
  else if (offset > 0) query.offset(offset)
  return query
}

const comparedIn = (sql: Sql, { column, shown }: OrderColumn): Knex.Raw =>
  shown === undefined ? sql.knex.ref(column) : shown(sql, sql.knex.ref(column))

/** Sorts in a direction; empty values are last in the order itself, and so first in the order from its end. */
function sorted<Q extends Knex.QueryBuilder>(sql: Sql, query: Q, order: OrderColumn, id: string, descends: boolean): Q {
  const direction = descends ? 'desc' : 'asc'
  const value = comparedIn(sql, order)
  if (order.column !== id) {
    if (order.isAlwaysSet !== true) query.orderBy(isNull(sql, value), descends === order.descending ? 'asc' : 'desc')
    query.orderBy(order.isText ? sql.dialect.fold(value) : value, direction)
  }
  query.orderBy(id, direction)
  return query
}

/** A condition for the rows beyond a position in reading direction; empty values are last, whatever the order is. */
function isBeyond(
  sql: Sql,
  order: OrderColumn,
  id: string,
  { value, id: lastId, direction }: NonNullable<Slice['beyond']>,
): Knex.Raw {
  const { column, descending, isText } = order
  const isForward = direction === 'after'
  if (order.isAlwaysSet === true && !isText && order.shown === undefined && value !== null)
    return tupleAfter(sql, [column, id], [value, lastId], descending === isForward ? 'before' : 'after')
  const stored = comparedIn(sql, order)
  const compared = isText ? sql.dialect.fold(stored) : stored
  const beyond: Knex.Raw = sql.knex.raw(descending === isForward ? '<' : '>')
  const byId = sql`${sql.ref(id)} ${beyond} ${lastId}`
  if (column === id) return byId
  const empty = isNull(sql, stored)
  if (value === null) return isForward ? allOf(sql, [empty, byId]) : anyOf(sql, [isNotTrue(sql, empty), byId])
  const at = isText ? sql.dialect.fold(sql`${value}`) : sql`${value}`
  const byValue = anyOf(sql, [sql`${compared} ${beyond} ${at}`, allOf(sql, [sql`${compared} = ${at}`, byId])])
  return isForward ? anyOf(sql, [byValue, empty]) : byValue
}
