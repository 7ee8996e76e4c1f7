import { idListMax } from '../access-paths/access-path.ts'
import { knownTotal } from '../totals/total.ts'
import { creationRow } from './creation-order.ts'
import { explainFound, idListPlan, inCreationOrder } from './id-list.ts'
import { planOf, type ListStrategy } from './strategy.ts'

/** Looks up the records that have one value, if an index holds the value and few records have it. */
export const pointLookup: ListStrategy = {
  async tryPlan(planning) {
    const lookup = await planning.lookUp()
    if (lookup === undefined || lookup.total > idListMax) return undefined
    const { label, total, ids, rows = [] } = lookup
    if (ids !== undefined) return idListPlan(ids, label)
    return planOf(
      {
        // Only the first page is looked up, and it is in memory.
        page: async (_tx, query) => inCreationOrder(rows, query).slice(query.offset).map(creationRow),
        explain: explainFound(label),
      },
      knownTotal(total),
    )
  },
}
