import type { Knex } from 'knex'
import { defined } from '../../../lib/guards.ts'
import type { Sql } from '../../../db/tx.ts'
import { sharedAbove } from '../../access/index.ts'
import { orderedKind } from '../../indexes/index.ts'
import { isOfItems, isTime } from '../../objects/index.ts'
import { conjunctsOf, type Condition, type ResolvedFilter } from '../filter.ts'
import { isEmptiness, isOrderComparison } from '../filter-sql.ts'
import {
  trigramPath,
  idPath,
  linkPath,
  relationshipPath,
  searchPath,
  timePath,
  uniqueKeyPath,
} from './condition-paths.ts'
import { isOfValues, orderedIndex, whereInRange, type IndexRange } from './range.ts'
import { selectivities, coversFilter, type PlanScope, type AccessPath } from './access-path.ts'

/** Every access path for a filter, the most selective first. */
export function accessPathsOf(place: PlanScope, filter: ResolvedFilter): AccessPath[] {
  const conjuncts = conjunctsOf(filter)
  const leaves = conjuncts.filter((part): part is Condition => 'column' in part)
  const found = [
    ...rangePathsOf(place, leaves),
    ...leaves.flatMap((leaf) => lookupPathsOf(place, leaf)),
    ...conjuncts.flatMap((part) =>
      'or' in part ? unionPathOf(place, part) : 'search' in part ? [searchPath(part)] : [],
    ),
  ]
  return found.toSorted((a, b) => a.selectivity - b.selectivity)
}

/** One access path for each column with an ordered index: all conditions on a column together are one index range. */
function rangePathsOf(place: PlanScope, leaves: readonly Condition[]): AccessPath[] {
  const own = leaves.filter(({ steps }) => steps.length === 0)
  const byColumn = new Map<string, Condition[]>()
  for (const leaf of own) {
    if (!isOfValues(leaf.op)) continue
    // Each condition on items may be met by another row, so these conditions are not one range.
    const key = isOfItems(leaf.column) ? `${leaf.column.name}.${byColumn.size}` : leaf.column.name
    byColumn.set(key, [...(byColumn.get(key) ?? []), leaf])
  }
  const emptiness = own.filter(({ op }) => isEmptiness(op) || op === 'Is not empty' || op === 'Is set')
  return [...byColumn.values(), ...emptiness.map((leaf) => [leaf])].flatMap(
    (conditions) => rangePath(place, conditions as [Condition, ...Condition[]]) ?? [],
  )
}

function rangePath(place: PlanScope, conditions: readonly [Condition, ...Condition[]]): AccessPath | undefined {
  const [{ column, op }] = conditions
  if (isTime(column)) return isOrderComparison(op) || op === 'Is' ? timePath(place, column, conditions) : undefined
  const kind = orderedKind(column)
  if (kind === undefined || !place.usable(place.object, column, kind)) return undefined
  // The ordered index holds only the first compared member of each item; the trigram index holds all of them.
  if (op === 'Contains' && column.kind === 'field' && column.field.type.itemMembers !== undefined) return undefined
  const range: IndexRange = {
    index: orderedIndex(place.object, column, kind),
    empty: isEmptiness(op),
    conditions: isOfValues(op) ? conditions : [],
  }
  const rows = (sql: Sql): Knex.QueryBuilder => {
    const query = whereInRange(
      sql,
      sql.knex(`${range.index.table} as s`).select('s.record_id'),
      place.workspaceId,
      range,
    )
    // Each item has a row, and several may match; only one of them can equal a value.
    return isOfItems(column) && op !== 'Is' && !range.empty ? query.distinct() : query
  }
  return {
    rows,
    publicRows: (sql, beside) =>
      rows(sql).where((either) => {
        either.where('s.visibility', '>', sharedAbove(place.principal))
        if (beside !== undefined) either.orWhereIn('s.record_id', beside)
      }),
    covers: conditions,
    selectivity: Math.min(...conditions.map(selectivityOf)),
    label: `the index of ${column.name}`,
    range,
  }
}

function selectivityOf({ op }: Condition): number {
  if (op === 'Is') return selectivities.equal
  if (op === 'Contains' || op === 'Ends with' || op === 'Like') return selectivities.scanned
  if (op === 'One of' || op === 'Starts with' || isOrderComparison(op)) return selectivities.some
  return isEmptiness(op) ? selectivities.many : selectivities.most
}

/** Access paths for one condition other than index ranges. */
const lookupPathsOf = (place: PlanScope, leaf: Condition): AccessPath[] =>
  leaf.steps.length > 0
    ? relationshipPath(place, leaf, (end, condition) => accessPathsOf(end, condition)[0])
    : [idPath(place, leaf), uniqueKeyPath(place, leaf), linkPath(place, leaf), trigramPath(place, leaf)].filter(
        (source) => source !== undefined,
      )

/** The union of the paths of alternatives; none if one of the alternatives has no path. */
function unionPathOf(place: PlanScope, filter: Extract<ResolvedFilter, { or: unknown }>): AccessPath[] {
  const parts = filter.or.map((part) => accessPathsOf(place, part)[0])
  if (parts.length === 0 || !parts.every((part) => part !== undefined)) return []
  return [
    {
      rows(sql) {
        const [first, ...rest] = parts.map((part) => part.rows(sql)) as [Knex.QueryBuilder, ...Knex.QueryBuilder[]]
        return sql.knex.select('u.record_id').from(first.union(rest).as('u'))
      },
      covers: parts.every((part, index) => coversFilter(part, defined(filter.or[index]))) ? [filter] : [],
      selectivity: Math.max(...parts.map(({ selectivity }) => selectivity), parts.length > 1 ? selectivities.some : 0),
      label: [...new Set(parts.map(({ label }) => label))].join(' and '),
    },
  ]
}
