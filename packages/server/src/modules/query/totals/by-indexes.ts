import { asValue, minus, plus } from '../../../db/expressions.ts'
import type { Knex } from 'knex'
import { totalInSql } from '../../counters/index.ts'
import type { Sql } from '../../../db/tx.ts'
import { privateRecords, privateRows, publicTotalInSql, visibleTotalInSql } from '../../access/index.ts'
import { filterCondition } from '../filter-sql.ts'
import type { ListQuery } from '../list-query.ts'
import type { TotalPlan } from '../strategies/planner.ts'

/** Limits a query to the records that are counted, and one more that shows that there are others. */
export const capped = (query: Knex.QueryBuilder, { countMax }: ListQuery): Knex.QueryBuilder =>
  countMax === undefined ? query : query.limit(countMax + 1)

type Rows = (sql: Sql) => Knex.QueryBuilder

/** Counts by indexes alone, in one query, so that all numbers are from one snapshot. */
export function countByIndexes(
  sql: Sql,
  request: ListQuery,
  { sources, without }: Extract<TotalPlan, { by: 'indexes' }>,
): Knex.Raw {
  const [only, another] = sources
  if (only !== undefined && another === undefined && without.length === 0)
    return asValue(sql, sql.knex.count('* as total').from(capped(only.rows(sql), request).as('m')))
  return countDifference(
    sql,
    totalInSql(sql, request.workspaceId, request.object.key),
    sources.map(({ rows }) => rows),
    without.map(({ rows }) => rows),
  )
}

/** Counts the public records by the indexes or the counter, and adds the private ones that the caller may see. */
export function countPublicAndPrivate(
  sql: Sql,
  request: ListQuery,
  { sources, without, isHeld }: Extract<TotalPlan, { by: 'public-and-private' }>,
): Knex.Raw {
  const asked = { ...request, object: request.object.key }
  const isPerson = request.principal.userId !== null
  const rowsOf = (source: (typeof sources)[number]) => (): Knex.QueryBuilder =>
    source.publicRows(sql, isHeld && isPerson ? privateRows(sql, asked) : undefined)
  const whole = isHeld ? visibleTotalInSql(sql, asked) : publicTotalInSql(sql, asked)
  const counted = countDifference(sql, whole, sources.map(rowsOf), without.map(rowsOf))
  return isHeld || !isPerson ? counted : plus(sql, counted, countOwn(sql, request))
}

/** Counts the private records that the caller may see; each record is checked. */
function countOwn(sql: Sql, request: ListQuery): Knex.Raw {
  const own = privateRecords(sql, { ...request, object: request.object.key }).count('* as total')
  const { filter } = request
  return asValue(sql, filter === undefined ? own : own.where(filterCondition(sql, filter)))
}

/**
 * The number of records that all `found` queries have in common (of `whole` if there are none), less those that one of
 * the `denied` queries finds among them.
 */
function countDifference(sql: Sql, whole: Knex.Raw, found: readonly Rows[], denied: readonly Rows[]): Knex.Raw {
  const all =
    found.length === 0
      ? whole
      : countInAll(
          sql,
          found.map((rows) => rows(sql)),
        )
  const [first, ...rest] = denied.map((rows) => rows(sql))
  if (first === undefined) return all
  const some = sql.knex.select('d.record_id').from(rest.length === 0 ? first.as('d') : first.union(rest).as('d'))
  return minus(sql, all, countInAll(sql, [some, ...found.map((rows) => rows(sql))]))
}

/** The number of records that all queries have in common. */
const countInAll = (sql: Sql, [first, ...others]: readonly Knex.QueryBuilder[]): Knex.Raw =>
  asValue(
    sql,
    others.reduce<Knex.QueryBuilder>(
      (query, rows) => query.whereIn('m.record_id', rows),
      sql.knex.count('* as total').from((first as Knex.QueryBuilder).as('m')),
    ),
  )
