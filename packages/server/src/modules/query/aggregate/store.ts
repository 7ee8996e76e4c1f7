import type { GroupPeriod } from '@kontor/contract'
import type { Knex } from 'knex'
import { aliased, countOver, isNull, monthStart } from '../../../db/expressions.ts'
import type { Sql } from '../../../db/sql.ts'
import { comparedValue } from '../../filters/index.ts'
import type { AccessPath } from '../access-paths/access-path.ts'
import type { ListQuery } from '../list-query.ts'
import { matching } from '../matching.ts'
import { kindOf, type Aggregate, type Group, type GroupOrder, type Measure } from './request.ts'

export type AggregatePageRequest = {
  readonly query: ListQuery
  readonly aggregate: Aggregate
  readonly path: AccessPath | undefined
  readonly timeZone: string
}

/** A row: the groups as `g0`, `g1`, the measures as `m0`…, with sums in parts (see `sumOf`), and the number of rows. */
export type AggregateSqlRow = { readonly total: number } & Readonly<Record<string, string | number | null>>

/** Selects a page of groups with their measures. The values of each record are computed once, in the inner query. */
export function aggregateQuery(
  sql: Sql,
  { query, aggregate, path, timeZone }: AggregatePageRequest,
): Knex.QueryBuilder {
  const { knex } = sql
  const { groups, measures, order } = aggregate
  const values = matching(sql, query, path).select([
    aliased(sql, sql`1`, 'one'),
    ...groups.map((group, at) => aliased(sql, groupValue(sql, group, timeZone), `g${at}`)),
    ...measures.flatMap(({ column }, at) =>
      column === undefined ? [] : [aliased(sql, comparedValue(sql, column), `v${at}`)],
    ),
  ])
  const names = groups.map((_, at) => `g${at}`)
  const measured = knex
    .select([...names, ...measures.flatMap((measure, at) => measureValues(sql, measure, at))])
    // Merged into this query, each value would be computed for every place that names it; a limit prevents that.
    .from(aliased(sql, sql`(select * from ${values} as w limit 9223372036854775807)`, 'v'))
  if (names.length > 0) measured.groupBy(names)
  const page = knex.select('*', aliased(sql, countOver(sql), 'total')).from(measured.as('a'))
  for (const one of order) {
    const value = orderValue(sql, aggregate, one)
    // Groups without a value come last, in both directions.
    page.orderBy(isNull(sql, value)).orderBy(value, one.descending ? 'desc' : 'asc')
  }
  page.limit(query.limit)
  return query.offset > 0 ? page.offset(query.offset) : page
}

/** Counts the groups, for a page that lies beyond the last one. */
export const groupsQuery = (sql: Sql, request: AggregatePageRequest): Knex.QueryBuilder => {
  const all = aggregateQuery(sql, { ...request, query: { ...request.query, offset: 0, limit: 1 } })
  return sql.knex.select('total').from(all.as('t'))
}

function groupValue(sql: Sql, { column, by }: Group, timeZone: string): Knex.Raw {
  const value = comparedValue(sql, column)
  if (by === undefined) return value
  const isMs = column.kind === 'system'
  const day = kindOf(column) === 'date' ? value : sql.dialect.dayIn(value, isMs ? 'ms' : 'text', timeZone)
  return periodStart(sql, day, by)
}

/** The first day of the period that a day lies in. */
const periodStart = (sql: Sql, day: Knex.Raw, by: GroupPeriod): Knex.Raw =>
  by === 'day' ? day : by === 'week' ? sql.dialect.mondayOf(day) : monthStart(sql, day, by)

function measureValues(sql: Sql, { kind, column }: Measure, at: number): Knex.Raw[] {
  const value = sql.ref(`v${at}`)
  const named = (expression: Knex.Raw) => [aliased(sql, expression, `m${at}`)]
  if (column === undefined) return named(sql`count(*)`)
  if (kind === 'count_distinct') return named(sql`count(distinct ${value})`)
  if (kind === 'sum' || kind === 'average') return sumOf(sql, value, at)
  if (kind === 'median') return named(sql.dialect.median(value))
  return named(kind === 'min' ? sql`min(${value})` : sql`max(${value})`)
}

/**
 * Sums are exact: numbers have at most four decimals, so their whole parts and their ten-thousandths are added up
 * apart, as integers; `exactSum` joins them.
 */
function sumOf(sql: Sql, value: Knex.Raw, at: number): Knex.Raw[] {
  const rest = sql`cast(round((${value} - trunc(${value})) * 10000) as bigint)`
  return [
    aliased(sql, sql`cast(sum(cast(trunc(${value}) as bigint)) as text)`, `m${at}_whole`),
    aliased(sql, sql`sum(${rest})`, `m${at}_rest`),
    aliased(sql, sql`count(${value})`, `m${at}_count`),
  ]
}

/** Joins the parts of a sum; null if no record has a value. */
export function exactSum(row: AggregateSqlRow, at: number): number | null {
  if (Number(row[`m${at}_count`]) === 0) return null
  const units = BigInt(row[`m${at}_whole`] ?? 0) * 10_000n + BigInt(row[`m${at}_rest`] ?? 0)
  const digits = String(units < 0n ? -units : units).padStart(5, '0')
  return Number(`${units < 0n ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`)
}

const orderValue = (sql: Sql, { groups, measures }: Aggregate, { of }: GroupOrder): Knex.Raw =>
  'kind' in of ? measureOrder(sql, of, measures.indexOf(of)) : sql.ref(`g${groups.indexOf(of)}`)

function measureOrder(sql: Sql, { kind }: Measure, at: number): Knex.Raw {
  if (kind !== 'sum' && kind !== 'average') return sql.ref(`m${at}`)
  const [whole, rest] = [sql.ref(`m${at}_whole`), sql.ref(`m${at}_rest`)]
  const sum = sql`(cast(${whole} as float8) + ${rest} / 10000.0)`
  return kind === 'sum' ? sum : sql`${sum} / nullif(${sql.ref(`m${at}_count`)}, 0)`
}
