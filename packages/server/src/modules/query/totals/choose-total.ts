import type { ReadTx } from '../../../db/tx.ts'
import { seesAll } from '../../access/index.ts'
import { coversFilter, selectivities, type AccessPath, type PlanScope } from '../access-paths/access-path.ts'
import type { Candidate } from '../access-paths/cheapest.ts'
import type { ListQuery } from '../list-query.ts'
import type { KeptTotals } from '../../indexes/index.ts'
import { indexTotal } from './by-indexes.ts'
import { coveringPathsFor } from './index-difference.ts'
import { keptTotal } from './kept-total.ts'
import { arePublic, publicAndPrivateTotal } from './public-and-private.ts'
import { knownTotal, objectTotal, recordTotal, type Total } from './total.ts'

/** Tells whether the records that a candidate finds are those of the list, so that they need no recheck. */
export const isExact = ({ path }: Candidate, { principal, filter }: ListQuery): boolean =>
  seesAll(principal) && filter !== undefined && coversFilter(path, filter)

type Choice = {
  readonly tx: ReadTx
  readonly query: ListQuery
  readonly scope: PlanScope
  readonly paths: readonly AccessPath[]
  readonly keptTotals: KeptTotals
  readonly isSmall: boolean
}

/** Chooses how to find the size of a list: without reading records if an index or a counter has it. */
export async function chooseTotal(
  { tx, query, scope, paths, keptTotals, isSmall }: Choice,
  cheapest: Candidate | undefined,
): Promise<Total> {
  const { filter, principal } = query
  const isUnrestricted = seesAll(principal)
  if (filter === undefined) return objectTotal
  if (cheapest?.cardinality !== undefined) {
    // That a path finds one record is assumed, not counted.
    const isCounted = cheapest.path.selectivity !== selectivities.one
    return isCounted && isExact(cheapest, query)
      ? knownTotal(cheapest.cardinality)
      : recordTotal(cheapest.path, isSmall)
  }
  const covering = coveringPathsFor(scope, filter, paths)
  if (covering !== undefined && isUnrestricted) return keptTotal(keptTotals, indexTotal(covering))
  if (covering !== undefined && arePublic(covering)) return publicAndPrivateTotal(tx, query, covering)
  return keptTotal(keptTotals, recordTotal(cheapest?.path, isSmall))
}
