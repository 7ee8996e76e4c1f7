import { conjunctsOf, type Condition, type ResolvedFilter, type RelationshipStep } from '../../filters/index.ts'
import { coversFilter, selectivities, type AccessPath, type PlanScope } from './access-path.ts'
import { searchPath, uniqueKeyPath, linkPath, idPath } from './by-key.ts'
import { rangePathsOf } from './by-range.ts'
import { trigramPath } from './by-trigrams.ts'
import { defined } from '../../../lib/guards.ts'
import type { Knex } from 'knex'
import { linksOf } from '../../../db/expressions.ts'
import type { Sql } from '../../../db/sql.ts'
import { otherEnd } from '../../objects/index.ts'

/** The candidates for a filter: every access path that finds its records, the most selective first. */
export function candidatesFor(scope: PlanScope, filter: ResolvedFilter): AccessPath[] {
  const conjuncts = conjunctsOf(filter)
  const conditions = conjuncts.filter((part): part is Condition => 'column' in part)
  const paths = [
    ...rangePathsOf(scope, conditions),
    ...conditions.flatMap((condition) => lookupPathsOf(scope, condition)),
    ...conjuncts.flatMap((part) =>
      'or' in part
        ? unionPath(part, (alternative) => candidatesFor(scope, alternative)[0])
        : 'search' in part
          ? [searchPath(part)]
          : [],
    ),
  ]
  return paths.toSorted((a, b) => a.selectivity - b.selectivity)
}

/** Access paths for one condition other than index ranges. */
const lookupPathsOf = (scope: PlanScope, condition: Condition): AccessPath[] =>
  condition.steps.length > 0
    ? relationshipPath(scope, condition, (end, own) => candidatesFor(end, own)[0])
    : [idPath, uniqueKeyPath, linkPath, trigramPath]
        .map((pathOf) => pathOf(scope, condition))
        .filter((path) => path !== undefined)

/** The union of the best paths of alternatives; none if one of the alternatives has no path. */
function unionPath(
  filter: Extract<ResolvedFilter, { or: unknown }>,
  bestPath: (alternative: ResolvedFilter) => AccessPath | undefined,
): AccessPath[] {
  const paths = filter.or.map(bestPath)
  if (paths.length === 0 || !paths.every((path) => path !== undefined)) return []
  return [
    {
      rows(sql) {
        const [first, ...rest] = paths.map((path) => path.rows(sql))
        return sql.knex.select('u.record_id').from(defined(first).union(rest).as('u'))
      },
      covers: paths.every((path, index) => coversFilter(path, defined(filter.or[index]))) ? [filter] : [],
      selectivity: Math.max(...paths.map(({ selectivity }) => selectivity), paths.length > 1 ? selectivities.some : 0),
      label: [...new Set(paths.map(({ label }) => label))].join(' and '),
    },
  ]
}

/**
 * The path along relationships, backwards: it finds the records at the end of a dotted path, then those that link to
 * them.
 */
function relationshipPath(
  scope: PlanScope,
  condition: Condition,
  bestPath: (scope: PlanScope, condition: Condition) => AccessPath | undefined,
): AccessPath[] {
  const { steps } = condition
  // Negations and tests for empty values also hold for records that refer to none.
  const end = bestPath({ ...scope, object: steps.at(-1)?.target ?? scope.object }, { ...condition, steps: [] })
  if (
    end === undefined ||
    condition.op.startsWith('Is not') ||
    condition.op === 'Is empty' ||
    condition.op === 'Is set'
  )
    return []
  return [
    {
      rows: (sql) =>
        steps.reduceRight<Knex.QueryBuilder>((to, step) => linkedTo(sql, scope.workspaceId, step, to), end.rows(sql)),
      covers: [],
      selectivity: Math.min(end.selectivity + 1, selectivities.many),
      label: `${end.label}, and the links of ${steps.map(({ field }) => field.name).join('.')}`,
    },
  ]
}

/** The records that link to some others: each once, however many of its links match. */
function linkedTo(
  sql: Sql,
  workspaceId: string,
  { linkEnd, isToMany }: RelationshipStep,
  to: Knex.QueryBuilder,
): Knex.QueryBuilder {
  const links = sql.knex.from(
    linksOf(sql, to, { workspaceId, relationship: linkEnd.relationship, end: otherEnd(linkEnd) }),
  )
  return isToMany ? links.distinct(`l.${linkEnd.end} as record_id`) : links.select(`l.${linkEnd.end} as record_id`)
}
