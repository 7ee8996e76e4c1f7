import type { Knex } from 'knex'
import { defined } from '../../../lib/guards.ts'
import { scalarSubquery, minus } from '../../../db/expressions.ts'
import type { Sql } from '../../../db/sql.ts'
import { conjunctsOf, type ResolvedFilter, negatedPart } from '../../filters/index.ts'
import { coversFilter, type AccessPath, type PlanScope } from '../access-paths/access-path.ts'
import { candidatesFor } from '../access-paths/candidates.ts'

/**
 * Access paths that count a filter by indexes alone: the records that all `paths` have in common (all records of the
 * object if there are none), less those that one of `without` finds.
 */
export type CoveringPaths<Path extends AccessPath = AccessPath> = {
  readonly paths: readonly Path[]
  readonly without: readonly Path[]
}

/**
 * Chooses the paths that count a filter. Each part must be covered by a path, either as it stands or by what it denies;
 * otherwise the result is undefined.
 */
export function coveringPathsFor(
  scope: PlanScope,
  filter: ResolvedFilter,
  candidates: readonly AccessPath[],
): CoveringPaths | undefined {
  const paths = new Set<AccessPath>()
  const without: AccessPath[] = []
  for (const part of conjunctsOf(filter)) {
    const negated = negatedPart(part)
    const own = candidates.find((path) => path.covers.includes(part))
    const other =
      own === undefined && negated !== undefined
        ? candidatesFor(scope, negated).find((path) => coversFilter(path, negated))
        : undefined
    if (own !== undefined) paths.add(own)
    else if (other !== undefined) without.push(other)
    else return undefined
  }
  return { paths: [...paths], without }
}

type Rows = (sql: Sql) => Knex.QueryBuilder

/**
 * The number of records that all `common` queries share (of `whole` if there are none), less those that one of the
 * `without` queries finds among them.
 */
export function countDifference(
  sql: Sql,
  whole: Knex.Raw,
  common: readonly Rows[],
  without: readonly Rows[],
): Knex.Raw {
  const all =
    common.length === 0
      ? whole
      : countInAll(
          sql,
          common.map((rows) => rows(sql)),
        )
  const [first, ...rest] = without.map((rows) => rows(sql))
  if (first === undefined) return all
  const some = sql.knex.select('d.record_id').from(rest.length === 0 ? first.as('d') : first.union(rest).as('d'))
  return minus(sql, all, countInAll(sql, [some, ...common.map((rows) => rows(sql))]))
}

/** The number of records that all queries have in common. */
const countInAll = (sql: Sql, [first, ...others]: readonly Knex.QueryBuilder[]): Knex.Raw =>
  scalarSubquery(
    sql,
    others.reduce<Knex.QueryBuilder>(
      (query, rows) => query.whereIn('m.record_id', rows),
      sql.knex.count('* as total').from(defined(first).as('m')),
    ),
  )

/** The names of the paths, in an explained plan. */
export const labelsOf = ({ paths, without }: CoveringPaths): string =>
  [...paths, ...without].map(({ label }) => label).join(' and ')
