import type { Knex } from 'knex'
import type { Sql } from '../../db/tx.ts'
import type { KeysetPosition } from './cursor.ts'
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
    if (nullable) query.orderBy(sql.dialect.isNull(sql.knex, ref(sql, name)), backward ? 'desc' : 'asc')
    query.orderBy(name, descending === backward ? 'asc' : 'desc')
  }
}

const ref = ({ knex }: Sql, name: string): Knex.Raw => knex.ref(name)

/**
 * A condition for rows beyond a position: on the first key that differs, they come later in reading direction. Empty
 * values are last, so they come first when reading backwards.
 */
export function beyond(sql: Sql, keys: readonly OrderKey[], values: readonly Value[], backward: boolean): Knex.Raw {
  const { dialect, knex } = sql
  const steps = keys.map(({ name, descending }, index) => ({
    name,
    value: values[index] ?? null,
    descending: descending !== backward,
  }))
  return dialect.any(
    knex,
    steps.map((step, index) =>
      dialect.all(knex, [
        ...steps.slice(0, index).map(({ name, value }) => same(sql, name, value)),
        later(sql, step, backward),
      ]),
    ),
  )
}

const same = (sql: Sql, name: string, value: Value): Knex.Raw =>
  value === null
    ? sql.dialect.isNull(sql.knex, ref(sql, name))
    : sql.dialect.compare(sql.knex, ref(sql, name), '=', value)

function later(
  sql: Sql,
  { name, value, descending }: { name: string; value: Value; descending: boolean },
  nullsFirst: boolean,
): Knex.Raw {
  const { dialect, knex } = sql
  const isNull = dialect.isNull(knex, ref(sql, name))
  if (value === null) return nullsFirst ? dialect.notTrue(knex, isNull) : dialect.any(knex, [])
  const after = dialect.compare(knex, ref(sql, name), descending ? '<' : '>', value)
  return nullsFirst ? after : dialect.any(knex, [after, isNull])
}
