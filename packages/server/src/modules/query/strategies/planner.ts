import type { ReadTx } from '../../../db/tx.ts'
import { invariant } from '../../../lib/guards.ts'
import type { ListQuery } from '../list-query.ts'
import { coveringLookup } from './covering-lookup.ts'
import { creationOrder } from './creation-order.ts'
import { idList } from './id-list.ts'
import { idSetScan } from './id-set-scan.ts'
import { indexScan } from './index-scan.ts'
import { Planning, type PlannerFacts } from './planning.ts'
import { sequentialScan } from './sequential-scan.ts'
import { sortedLookup } from './sorted-lookup.ts'
import type { ListPlan, ListStrategy } from './strategy.ts'
import { valueScan } from './value-scan.ts'

/** The ways to read a list, in order of preference. The last one reads every list. */
const strategies: readonly ListStrategy[] = [
  creationOrder,
  idSetScan,
  valueScan,
  coveringLookup,
  idList,
  sortedLookup,
  indexScan,
  sequentialScan,
]

/**
 * Plans a list by the first strategy that fits its filter and its sort order. Where these do not decide, a few access
 * paths are counted up to the cost threshold.
 */
export async function planList(tx: ReadTx, query: ListQuery, facts: PlannerFacts): Promise<ListPlan> {
  const planning = new Planning(tx, query, facts)
  let plan: ListPlan | undefined
  for (const { tryPlan } of strategies) plan ??= await tryPlan(planning)
  invariant(plan !== undefined, 'no strategy reads the list')
  return plan
}
