import { ownsAny, seesAll } from '../../access/index.ts'
import { scanIndex, type IndexScan } from '../access-paths/ordered-scan.ts'
import { chooseTotal } from '../totals/choose-total.ts'
import type { Total } from '../totals/total.ts'
import { pageByKeys } from './page-by-keys.ts'
import type { Planning } from './planning.ts'
import { planOf, type ListPlan, type ListStrategy } from './strategy.ts'

/** Reads the ordered index of the first sort column until the page is full. */
export const indexScan: ListStrategy = {
  async tryPlan(planning) {
    const { indexScan: scan } = planning
    if (scan === undefined) return undefined
    const total = await chooseTotal(planning, await planning.cheapest())
    return indexScanPlan(await withOwnership(planning, scan), total)
  },
}

export const indexScanPlan = (scan: IndexScan, total: Total): ListPlan =>
  planOf(
    {
      page: pageByKeys((tx, query, backward) => scanIndex(tx, query, scan, backward)),
      explain({ sort, filter }) {
        const check = scan.indexOnly
          ? 'reads only the records of the page'
          : filter === undefined
            ? 'reads each record'
            : 'checks the filter on each record'
        return `Walks the index of ${sort[0]?.column.name} in its order, and ${check}.`
      },
    },
    total,
  )

/** Notes in an index-only scan whether the caller owns any private record: if not, the scan need not check owners. */
const withOwnership = async (
  { tx, query: { workspaceId, object, principal } }: Planning,
  scan: IndexScan,
): Promise<IndexScan> =>
  !scan.indexOnly || seesAll(principal)
    ? scan
    : { ...scan, ownsPrivate: await ownsAny(tx, { workspaceId, object: object.key, principal }) }
