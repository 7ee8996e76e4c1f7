import type { ListQuery } from '../list-query.ts'
import { chooseTotal } from '../totals/choose-total.ts'
import type { Total } from '../totals/total.ts'
import { sortedPage } from './sorted-lookup.ts'
import { planOf, sortColumns, type ListPlan, type ListStrategy } from './strategy.ts'

/** Reads all records of the object and checks the filter on each; in index order if they are sorted by a time. */
export const sequentialScan: ListStrategy = {
  async tryPlan(planning) {
    return sequentialScanPlan(planning.isSmall, await chooseTotal(planning, await planning.cheapest()))
  },
}

export const sequentialScanPlan = (isLight: boolean, total: Total): ListPlan =>
  planOf({ page: sortedPage(undefined, isLight), explain: explainScan }, total)

/** The scan in a sentence, for an explained plan. */
export function explainScan(query: ListQuery): string {
  const check = query.filter === undefined ? '' : ', and checks the filter on each'
  return `Reads the ${query.object.name} records by ${sortColumns(query)}${check}.`
}
