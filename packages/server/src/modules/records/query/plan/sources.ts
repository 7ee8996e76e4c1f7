import type { Knex } from 'knex'
import type { Sql } from '../../../../db/tx.ts'
import { sharedAbove } from '../../../access/index.ts'
import { orderedKind } from '../../indexes/kinds.ts'
import { isOfItems, isTime } from '../columns.ts'
import { conjunctsOf, type Condition, type ResolvedFilter } from '../filter.ts'
import { isEmptiness, isOrderComparison } from '../filter-sql.ts'
import { byGrams, byId, byLinks, byPath, bySearch, byTime, byUniqueKey } from './lookups.ts'
import { isOfValues, orderedIndex, whereInRange, type IndexRange } from './range.ts'
import { ranks, settles, type Place, type Source } from './source.ts'

/** Every index that finds the records of a filter, the most promising first. */
export function sourcesOf(place: Place, filter: ResolvedFilter): Source[] {
  const conjuncts = conjunctsOf(filter)
  const leaves = conjuncts.filter((part): part is Condition => 'column' in part)
  const found = [...rangesOf(place, leaves), ...leaves.flatMap((leaf) => lookupsOf(place, leaf)), ...conjuncts.flatMap((part) => ('or' in part ? unionOf(place, part) : 'search' in part ? [bySearch(part)] : []))]
  return found.toSorted((a, b) => a.rank - b.rank)
}

/** One source for each column with an index in order; what is asked of one column together is one range of it. */
function rangesOf(place: Place, leaves: readonly Condition[]): Source[] {
  const own = leaves.filter(({ hops }) => hops.length === 0)
  const byColumn = new Map<string, Condition[]>()
  for (const leaf of own) {
    if (!isOfValues(leaf.op)) continue
    // Of several items each may stand in another row.
    const key = isOfItems(leaf.column) ? `${leaf.column.name}.${byColumn.size}` : leaf.column.name
    byColumn.set(key, [...(byColumn.get(key) ?? []), leaf])
  }
  const emptiness = own.filter(({ op }) => isEmptiness(op) || op === 'Is not empty' || op === 'Is set')
  return [...byColumn.values(), ...emptiness.map((leaf) => [leaf])].flatMap((conditions) => rangeOf(place, conditions as [Condition, ...Condition[]]) ?? [])
}

function rangeOf(place: Place, conditions: readonly [Condition, ...Condition[]]): Source | undefined {
  const [{ column, op }] = conditions
  if (isTime(column)) return isOrderComparison(op) || op === 'Is' ? byTime(place, column, conditions) : undefined
  const kind = orderedKind(column)
  if (kind === undefined || !place.usable(place.object, column, kind)) return undefined
  // Not all that has the part may stand in the index in order, but all of it in that of trigrams.
  if (op === 'Contains' && column.kind === 'field' && column.field.type.itemMembers !== undefined) return undefined
  const range: IndexRange = { index: orderedIndex(place.object, column, kind), empty: isEmptiness(op), conditions: isOfValues(op) ? conditions : [] }
  const rows = (sql: Sql): Knex.QueryBuilder => {
    const query = whereInRange(sql, sql.knex(`${range.index.table} as s`).select('s.record_id'), place.workspaceId, range)
    // Items have a row each, of which one alone equals a value.
    return isOfItems(column) && op !== 'Is' && !range.empty ? query.distinct() : query
  }
  return {
    rows,
    shared: (sql, beside) =>
      rows(sql).where((either) => {
        either.where('s.visibility', '>', sharedAbove(place.asker))
        if (beside !== undefined) either.orWhereIn('s.record_id', beside)
      }),
    settles: conditions,
    rank: Math.min(...conditions.map(rankOf)),
    words: `the index of ${column.name}`,
    range,
  }
}

function rankOf({ op }: Condition): number {
  if (op === 'Is') return ranks.equal
  if (op === 'Contains' || op === 'Ends with' || op === 'Like') return ranks.scanned
  if (op === 'One of' || op === 'Starts with' || isOrderComparison(op)) return ranks.some
  return isEmptiness(op) ? ranks.many : ranks.most
}

/** What else finds the records of one condition. */
const lookupsOf = (place: Place, leaf: Condition): Source[] =>
  leaf.hops.length > 0
    ? byPath(place, leaf, (end, condition) => sourcesOf(end, condition)[0])
    : [byId(place, leaf), byUniqueKey(place, leaf), byLinks(place, leaf), byGrams(place, leaf)].filter((source) => source !== undefined)

/** Of conditions any of which may hold, the records of all; none where one of them has no index. */
function unionOf(place: Place, filter: Extract<ResolvedFilter, { or: unknown }>): Source[] {
  const parts = filter.or.map((part) => sourcesOf(place, part)[0])
  if (parts.length === 0 || !parts.every((part) => part !== undefined)) return []
  return [
    {
      rows(sql) {
        const [first, ...rest] = parts.map((part) => part.rows(sql)) as [Knex.QueryBuilder, ...Knex.QueryBuilder[]]
        return sql.knex.select('u.record_id').from(first.union(rest).as('u'))
      },
      settles: parts.every((part, index) => settles(part, filter.or[index] as ResolvedFilter)) ? [filter] : [],
      rank: Math.max(...parts.map(({ rank }) => rank), parts.length > 1 ? ranks.some : 0),
      words: [...new Set(parts.map(({ words }) => words))].join(' and '),
    },
  ]
}
