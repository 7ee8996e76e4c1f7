import type { Knex } from 'knex'
import { aliased, scalarSubquery, plus } from '../../../db/expressions.ts'
import type { Sql } from '../../../db/sql.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { countPrivate, privateRecords, privateRows, publicTotalInSql, visibleTotalInSql } from '../../access/index.ts'
import type { AccessPath } from '../access-paths/access-path.ts'
import { filterCondition } from '../../filters/index.ts'
import type { ListQuery } from '../list-query.ts'
import { countDifference, labelsOf, type CoveringPaths } from './index-difference.ts'
import type { Total } from './total.ts'
import { readTotal } from '../../../db/rows.ts'

/** An access path that can be narrowed to public records. */
type PublicPath = AccessPath & Required<Pick<AccessPath, 'publicRows'>>

/** Most ids of private records that are held in memory while an index is read: some megabytes. */
const heldMax = 50_000

/** Tells whether all paths can be narrowed to public records. */
export const arePublic = (covering: CoveringPaths): covering is CoveringPaths<PublicPath> =>
  [...covering.paths, ...covering.without].every(({ publicRows }) => publicRows !== undefined)

/**
 * A total under access that is counted by indexes: the public records, and the private ones that the caller may see.
 * The private ones are part of the index query if they are few enough to hold in memory; otherwise each is checked as
 * a record.
 */
export async function publicAndPrivateTotal(
  tx: ReadTx,
  { workspaceId, object, principal }: ListQuery,
  covering: CoveringPaths<PublicPath>,
): Promise<Total> {
  const isHeld = (await countPrivate(tx, { workspaceId, object: object.key, principal }, heldMax + 1)) <= heldMax
  return {
    count: (own, query) =>
      readTotal(own, (sql) =>
        sql.knex.select(aliased(sql, countPublicAndPrivate(sql, query, covering, isHeld), 'total')),
      ),
    explain: () =>
      `The total adds the records that are shared with the workspace, counted in ${labelsOf(covering)}, and the ` +
      `others that the caller may see.`,
  }
}

function countPublicAndPrivate(
  sql: Sql,
  query: ListQuery,
  { paths, without }: CoveringPaths<PublicPath>,
  isHeld: boolean,
): Knex.Raw {
  const scope = { ...query, object: query.object.key }
  const isPerson = query.principal.userId !== null
  const rowsOf = (path: PublicPath) => (): Knex.QueryBuilder =>
    path.publicRows(sql, isHeld && isPerson ? privateRows(sql, scope) : undefined)
  const whole = isHeld ? visibleTotalInSql(sql, scope) : publicTotalInSql(sql, scope)
  const counted = countDifference(sql, whole, paths.map(rowsOf), without.map(rowsOf))
  return isHeld || !isPerson ? counted : plus(sql, counted, countPrivateMatches(sql, query))
}

/** Counts the private records that the caller may see; the filter is checked on each. */
function countPrivateMatches(sql: Sql, query: ListQuery): Knex.Raw {
  const records = privateRecords(sql, { ...query, object: query.object.key }).count('* as total')
  const { filter } = query
  return scalarSubquery(sql, filter === undefined ? records : records.where(filterCondition(sql, filter)))
}
