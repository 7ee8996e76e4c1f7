import { idSetPath, countIdSet, readIdSetKeys } from '../access-paths/id-set.ts'
import type { IdSet } from '../list-query.ts'
import { idSetTotal, recordTotal } from '../totals/total.ts'
import { indexScanPlan } from './index-scan.ts'
import { pageByKeys } from './page-by-keys.ts'
import type { Planning } from './planning.ts'
import { sortedLookupPlan } from './sorted-lookup.ts'
import { planOf, type ListStrategy } from './strategy.ts'

/**
 * Reads an id set in the order of its ids. Most sets are small: to be filtered or sorted, their records are looked up.
 */
export const idSetScan: ListStrategy = {
  async tryPlan(planning) {
    const { idSet, filter, sort } = planning.query
    if (idSet === undefined) return undefined
    const path = idSetPath(idSet)
    if (filter !== undefined) return sortedLookupPlan(path, false, recordTotal(path, false))
    const total = idSetTotal(idSet)
    if (sort.length === 0)
      return planOf(
        {
          page: pageByKeys((tx, query, backward) => readIdSetKeys(tx, query, idSet, backward)),
          explain: () => `Reads ${idSet.label} in their order.`,
        },
        total,
      )
    const scan = await scanOfLargeSet(planning, idSet)
    return scan === undefined ? sortedLookupPlan(path, false, total) : indexScanPlan(scan, total)
  },
}

/** An index scan that skips records outside the id set, if the set is so large that sorting it costs more. */
async function scanOfLargeSet({ tx, costThreshold, indexScan }: Planning, idSet: IdSet) {
  if (indexScan === undefined || idSet.contains === undefined || idSet.counter === undefined) return undefined
  return (await countIdSet(tx, idSet)) > costThreshold ? { ...indexScan, indexOnly: false } : undefined
}
