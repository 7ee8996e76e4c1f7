import type { AccessPath } from '../access-paths/access-path.ts'
import { keyQuery } from '../matching.ts'
import type { KeyRow } from '../list-query.ts'
import { chooseTotal } from '../totals/choose-total.ts'
import type { Total } from '../totals/total.ts'
import { pageByKeys } from './page-by-keys.ts'
import { planOf, sortColumns, type ListPlan, type ListStrategy } from './strategy.ts'

/** Looks up the records that an access path finds, checks the filter on each, and sorts them. */
export const sortedLookup: ListStrategy = {
  async tryPlan(planning) {
    const cheapest = await planning.cheapest()
    if (cheapest === undefined || (cheapest.cardinality === undefined && planning.hasOrder)) return undefined
    return sortedLookupPlan(cheapest.path, cheapest.isLight || planning.isSmall, await chooseTotal(planning, cheapest))
  },
}

export const sortedLookupPlan = (path: AccessPath, isLight: boolean, total: Total): ListPlan =>
  planOf(
    {
      page: sortedPage(path, isLight),
      explain: (query) =>
        `Finds records by ${path.label}, checks the filter on each, and sorts them by ${sortColumns(query)}.`,
      sortedPath: path,
    },
    total,
  )

/**
 * Reads pages of the records that an access path finds, or else of all records of the object, sorted. `isLight`: of so
 * few that it needs no turn.
 */
export const sortedPage = (path: AccessPath | undefined, isLight: boolean): ListPlan['page'] =>
  pageByKeys((tx, query, backward) =>
    tx.query<KeyRow>((sql) => keyQuery(sql, query, path, backward), {
      heavy: !isLight && (path === undefined ? 'scan' : true),
    }),
  )
