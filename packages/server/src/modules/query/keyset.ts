import type { Knex } from 'knex'
import { allOf, anyOf, compare, isNull, isNotTrue, tupleAfter } from '../../db/expressions.ts'
import type { Sql } from '../../db/sql.ts'
import type { KeysetPosition } from './cursor.ts'
import type { ListQuery } from './list-query.ts'
import type { SortKey } from './sort.ts'

type Value = string | number | null

/** A sort key, under its name in the query. */
export type OrderKey = { readonly name: string; readonly descending: boolean; readonly nullable: boolean }

/** The keys of a sort order. Its columns are `s0`, `s1`, …; the id breaks ties in the direction of the first. */
export const orderKeys = (sort: readonly SortKey[]): OrderKey[] => [
  ...sort.map(({ column, descending }, index) => ({
    name: `s${index}`,
    descending,
    nullable: column.kind === 'field' || column.column.endsWith('_by'),
  })),
  { name: 'id', descending: sort[0]?.descending === true, nullable: false },
]

/** The values of a position, in the order of the keys. */
export const positionValues = ({ values, id }: KeysetPosition): readonly Value[] => [...values, id]

/** Orders a query by keys, empty values last; everything is reversed for reading backwards. */
export function ordered(sql: Sql, query: Knex.QueryBuilder, keys: readonly OrderKey[], backward: boolean): void {
  for (const { name, descending, nullable } of keys) {
    if (nullable) query.orderBy(isNull(sql, ref(sql, name)), backward ? 'desc' : 'asc')
    query.orderBy(name, descending === backward ? 'asc' : 'desc')
  }
}

const ref = ({ knex }: Sql, name: string): Knex.Raw => knex.ref(name)

/**
 * A condition for rows beyond a position: on the first key that differs, they come later in reading direction. Empty
 * values are last, so they come first when reading backwards.
 */
export function beyond(sql: Sql, keys: readonly OrderKey[], values: readonly Value[], backward: boolean): Knex.Raw {
  const steps = keys.map(({ name, descending }, index) => ({
    name,
    value: values[index] ?? null,
    descending: descending !== backward,
  }))
  return anyOf(
    sql,
    steps.map((step, index) =>
      allOf(sql, [
        ...steps.slice(0, index).map(({ name, value }) => same(sql, name, value)),
        later(sql, step, backward),
      ]),
    ),
  )
}

const same = (sql: Sql, name: string, value: Value): Knex.Raw =>
  value === null ? isNull(sql, ref(sql, name)) : compare(sql, ref(sql, name), '=', value)

function later(
  sql: Sql,
  { name, value, descending }: { name: string; value: Value; descending: boolean },
  nullsFirst: boolean,
): Knex.Raw {
  const isLast = isNull(sql, ref(sql, name))
  if (value === null) return nullsFirst ? isNotTrue(sql, isLast) : anyOf(sql, [])
  const after = compare(sql, ref(sql, name), descending ? '<' : '>', value)
  return nullsFirst ? after : anyOf(sql, [after, isLast])
}

/** The condition of `beyond` for a time, as a row comparison that an index can use. */
export const beyondTime = (sql: Sql, { sort, position }: ListQuery, backward: boolean): Knex.Raw =>
  tupleAfter(
    sql,
    ['s0', 'id'],
    position === undefined ? [] : positionValues(position.at),
    sort[0]?.descending === backward ? 'after' : 'before',
  )

/** The condition of `beyond` for the id, likewise. */
export const beyondId = (sql: Sql, { sort, position }: ListQuery, backward: boolean): Knex.Raw =>
  compare(sql, sql.knex.ref('id'), sort[0]?.descending === backward ? '>' : '<', position?.at.id ?? '')
