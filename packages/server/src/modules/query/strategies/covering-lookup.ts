import { readMatches } from '../access-paths/covering-path.ts'
import { knownTotal } from '../totals/total.ts'
import { pageByKeys } from './page-by-keys.ts'
import { costThresholdMax } from './planning.ts'
import { sequentialScanPlan } from './sequential-scan.ts'
import { sortedPage } from './sorted-lookup.ts'
import { planOf, sortColumns, type ListStrategy } from './strategy.ts'

/**
 * Reads the keys of the page and the total at once, from an index that covers both. If the matches are too many to sort
 * and the total need not be exact, the records are read in order of creation, which soon meets some of them.
 */
export const coveringLookup: ListStrategy = {
  async tryPlan({ tx, query, coveringPath: path }) {
    if (path === undefined) return undefined
    const { countMax } = query
    const max = countMax ?? costThresholdMax
    const { keys, total } = await readMatches(tx, query, path, max)
    if (total > max) return countMax === undefined ? undefined : sequentialScanPlan(false, knownTotal(total))
    return planOf(
      {
        page: pageByKeys(() => keys, sortedPage(path, false)),
        explain: () => `Finds records by ${path.label}, and sorts them by ${sortColumns(query)}.`,
      },
      knownTotal(total),
    )
  },
}
