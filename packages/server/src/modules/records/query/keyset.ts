import type { Knex } from 'knex'
import type { Sql } from '../../../db/tx.ts'
import type { Position } from './cursor.ts'
import type { SortKey } from './sort.ts'

type Value = string | number | null

export const reversed = (sort: readonly SortKey[]): SortKey[] => sort.map(({ column, descending }) => ({ column, descending: !descending }))

/** Orders by `s0`, `s1`, …, empty values last, then by id; everything turned round for reading backwards. */
export function ordered(sql: Sql, query: Knex.QueryBuilder, sort: readonly SortKey[], backward: boolean): void {
  const order = (descending: boolean) => (descending === backward ? 'asc' : 'desc')
  sort.forEach(({ column, descending }, index) => {
    if (column.kind === 'field') query.orderBy(sql.dialect.isNull(sql.knex, ref(sql, `s${index}`)), backward ? 'desc' : 'asc')
    query.orderBy(`s${index}`, order(descending))
  })
  query.orderBy('id', order(sort[0]?.descending === true))
}

const ref = ({ knex }: Sql, name: string): Knex.Raw => knex.ref(name)

/**
 * Rows that lie beyond a position. `sort` is in the direction of reading: on the first column that differs from the
 * position the row comes later; on none, its id does. Empty values are last, so they come first when reading back.
 */
export function beyond(sql: Sql, sort: readonly SortKey[], at: Position, nullsFirst: boolean): Knex.Raw {
  const { dialect, knex } = sql
  const keys = sort.map(({ descending }, index) => ({ name: `s${index}`, value: at.values[index] ?? null, descending }))
  const steps = [...keys, { name: 'id', value: at.id, descending: sort[0]?.descending === true }]
  return dialect.any(
    knex,
    steps.map((step, index) => dialect.all(knex, [...steps.slice(0, index).map(({ name, value }) => same(sql, name, value)), later(sql, step, nullsFirst)])),
  )
}

const same = (sql: Sql, name: string, value: Value): Knex.Raw =>
  value === null ? sql.dialect.isNull(sql.knex, ref(sql, name)) : sql.dialect.compare(sql.knex, ref(sql, name), '=', value)

function later(sql: Sql, { name, value, descending }: { name: string; value: Value; descending: boolean }, nullsFirst: boolean): Knex.Raw {
  const { dialect, knex } = sql
  const isNull = dialect.isNull(knex, ref(sql, name))
  if (value === null) return nullsFirst ? dialect.notTrue(knex, isNull) : dialect.any(knex, [])
  const after = dialect.compare(knex, ref(sql, name), descending ? '<' : '>', value)
  return nullsFirst ? after : dialect.any(knex, [after, isNull])
}
