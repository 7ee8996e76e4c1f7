import type { ReadTx } from '../../../db/tx.ts'
import { seesAll } from '../../access/index.ts'
import { coversFilter, selectivities, type AccessPath, type PlanScope } from '../access-paths/access-path.ts'
import type { Candidate } from '../access-paths/cheapest.ts'
import type { ListQuery } from '../list-query.ts'
import type { KeptTotals } from '../../indexes/index.ts'
import { coveringPathsFor, countDifference, labelsOf, type CoveringPaths } from './index-difference.ts'
import { keptTotal } from './kept-total.ts'
import { arePublic, publicAndPrivateTotal } from './public-and-private.ts'
import { knownTotal, objectTotal, recordTotal, capped, type Total } from './total.ts'
import { aliased, scalarSubquery } from '../../../db/expressions.ts'
import { totalInSql } from '../../counters/index.ts'
import { readTotal } from '../../../db/rows.ts'

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

/** A total that is counted by indexes alone, in one query, so that all its numbers are from one snapshot. */
const indexTotal = (covering: CoveringPaths): Total => ({
  count: (tx, query) =>
    readTotal(tx, (sql) => {
      const { knex } = sql
      const { paths, without } = covering
      const [only, another] = paths
      const total =
        only !== undefined && another === undefined && without.length === 0
          ? scalarSubquery(sql, knex.count('* as total').from(capped(only.rows(sql), query).as('m')))
          : countDifference(
              sql,
              totalInSql(sql, query.workspaceId, query.object.key),
              paths.map(({ rows }) => rows),
              without.map(({ rows }) => rows),
            )
      return knex.select(aliased(sql, total, 'total'))
    }),
  explain: () => `The total is counted only in ${labelsOf(covering)}.`,
})
