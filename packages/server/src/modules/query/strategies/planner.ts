import { defined } from '../../../lib/guards.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { countPrivate, ownsAny, seesAll } from '../../access/index.ts'
import { orderedKind } from '../../indexes/index.ts'
import { isOfItems } from '../../objects/index.ts'
import { conjunctsOf, type ResolvedFilter } from '../filter.ts'
import { deniedBy } from '../filter-sql.ts'
import { isByTime, type IdSet, type ListQuery } from '../list-query.ts'
import { idListMax, findIdList, isByCreation, type IdListPlan } from '../access-paths/point-lookup.ts'
import { readMatches, hasSortKeys, type Matches, type WithCreation } from '../access-paths/covering-lookup.ts'
import { idSetPath, countIdSet } from '../access-paths/id-set.ts'
import { orderedIndex, type IndexRange, type OrderedIndex } from '../access-paths/range.ts'
import {
  selectivities,
  rowsOfIds,
  coversFilter,
  type PlanScope,
  type AccessPath,
  type IsIndexUsable,
} from '../access-paths/access-path.ts'
import { accessPathsOf } from '../access-paths/candidates.ts'
import { visiblePath } from '../access-paths/by-visibility.ts'

/** How a page is read. */
export type PagePlan =
  /** The ids of the whole list, or its records. */
  | IdListPlan
  /** All records of the object; in index order if they are sorted by a time. */
  | { readonly by: 'records' }
  /** The records that an access path finds, few enough to sort; `few` if they are fewer than a page or two. */
  | { readonly by: 'source'; readonly source: AccessPath; readonly few: boolean }
  /** The keys that were read when the total was counted. */
  | { readonly by: 'matches'; readonly source: AccessPath; readonly keys: Matches['keys'] }
  /** The records of an id set, in the order of their ids. */
  | { readonly by: 'id-set'; readonly members: IdSet }
  /**
   * A scan of an ordered index, or of a range of it. An index-only scan reads no records, except to check ownership if
   * the caller `owns` any.
   */
  | {
      readonly by: 'index-scan'
      readonly index: OrderedIndex
      readonly range: IndexRange | undefined
      readonly indexOnly: boolean
      readonly owns: boolean
    }

export type IndexScanPlan = Extract<PagePlan, { by: 'index-scan' }>

/** How the total is counted. */
export type TotalPlan =
  | { readonly by: 'counter' }
  | { readonly by: 'records' }
  | { readonly by: 'source'; readonly source: AccessPath }
  /**
   * The records that all `sources` have in common (all records of the object if there are none), less those that one of
   * `without` finds; no record is read.
   */
  | { readonly by: 'indexes'; readonly sources: readonly AccessPath[]; readonly without: readonly AccessPath[] }
  /**
   * The public records, by their counter or by indexes that store visibility, and the private ones that the caller may
   * see. The private ones are part of the index query if they are few enough to hold in memory (`isHeld`); otherwise
   * each is checked as a record.
   */
  | {
      readonly by: 'public-and-private'
      readonly sources: readonly PublicAccessPath[]
      readonly without: readonly PublicAccessPath[]
      readonly isHeld: boolean
    }
  | { readonly by: 'id-set'; readonly members: IdSet }
  /** The total was counted while planning. */
  | { readonly by: 'found'; readonly total: number }

/** An access path that can be narrowed to public records. */
type PublicAccessPath = AccessPath & Required<Pick<AccessPath, 'publicRows'>>

export type ListPlan = { readonly page: PagePlan; readonly total: TotalPlan }

/** A list query with its plan. */
export type PlannedRequest = ListQuery & { readonly plan: ListPlan }

export type PlannerFacts = { readonly usable: IsIndexUsable; readonly total: number }

/**
 * Plans a list from its filter and sort order. Where these do not decide, it counts a few access paths up to the cost
 * threshold.
 */
export async function planList(tx: ReadTx, request: ListQuery, known: PlannerFacts): Promise<ListPlan> {
  if (request.idSet !== undefined) return planIdSet(tx, request, request.idSet, known)
  const { filter } = request
  const few = await findIdList(tx, request, known.usable)
  if (few !== undefined && few !== 'many') return { page: few.page, total: { by: 'found', total: few.total } }
  const place: PlanScope = { ...request, usable: known.usable }
  const sources = filter === undefined ? [] : accessPathsOf(place, filter)
  const walk = await withOwnership(tx, request, indexScanOf(request, known.usable, sources))
  const bound = costThresholdOf(request, known.total)
  if (filter === undefined) return planWhole(tx, request, bound, walk ?? { by: 'records' })
  const told = sources.find((source) => hasSortKeys(source, request))
  const hits = told && (await planMatches(tx, request, told))
  if (hits !== undefined) return hits
  const narrow: CheapestPath | undefined =
    told === undefined ? await cheapestPath(tx, sources, bound, few !== 'many') : { source: told, found: 'many' }
  const best =
    narrow !== undefined && narrow.found !== 'many' ? narrow : ((await smallVisiblePath(tx, request, bound)) ?? narrow)
  const isSmall = best !== undefined && best.found !== 'many'
  const inOrder = walk !== undefined || isByTime(request)
  const total = await planTotal(tx, request, place, filter, sources, best)
  if (best?.ids !== undefined && total.by === 'found' && isByCreation(request))
    return { page: { by: 'found', ids: best.ids, label: best.source.label }, total }
  const page: PagePlan =
    best !== undefined && (isSmall || !inOrder)
      ? {
          by: 'source',
          source: best.source,
          few: best.ids !== undefined || best.source.selectivity === selectivities.one,
        }
      : (walk ?? { by: 'records' })
  return { page, total }
}

/**
 * Plans a page by the matches of an access path, which are read once. Returns undefined if they are too many to sort
 * and the total has to be exact.
 */
async function planMatches(tx: ReadTx, request: ListQuery, source: WithCreation): Promise<ListPlan | undefined> {
  const max = request.countMax ?? costThresholdMax
  const { keys, total } = await readMatches(tx, request, source, max)
  if (total <= max) return { page: { by: 'matches', source, keys }, total: { by: 'found', total } }
  return request.countMax === undefined ? undefined : { page: { by: 'records' }, total: { by: 'found', total } }
}

/** Plans a list without a filter: in sort order, unless the caller may see few of many records. */
async function planWhole(tx: ReadTx, request: ListQuery, bound: number, inOrder: PagePlan): Promise<ListPlan> {
  if (seesAll(request.principal)) return { page: inOrder, total: { by: 'counter' } }
  const little = await smallVisiblePath(tx, request, bound)
  return {
    page: little === undefined ? inOrder : { by: 'source', source: little.source, few: little.found <= idListMax },
    total: { by: 'public-and-private', sources: [], without: [], isHeld: false },
  }
}

const smallVisiblePath = async (
  tx: ReadTx,
  request: ListQuery,
  bound: number,
): Promise<(CheapestPath & { readonly found: number }) | undefined> =>
  seesAll(request.principal) ? undefined : visiblePath(tx, request, bound)

/**
 * Plans a list over an id set. Most sets are small: without a filter the set is the list, and with one its records are
 * checked.
 */
async function planIdSet(tx: ReadTx, request: ListQuery, members: IdSet, known: PlannerFacts): Promise<ListPlan> {
  const { filter, sort } = request
  const source = idSetPath(members)
  if (filter !== undefined) return { page: { by: 'source', source, few: false }, total: { by: 'source', source } }
  const total: TotalPlan = { by: 'id-set', members }
  if (sort.length === 0) return { page: { by: 'id-set', members }, total }
  return {
    page: (await indexScanOverIdSet(tx, request, members, known)) ?? { by: 'source', source, few: false },
    total,
  }
}

/** Plans an index scan that skips records outside the id set, if the set is so large that sorting it costs more. */
async function indexScanOverIdSet(
  tx: ReadTx,
  request: ListQuery,
  members: IdSet,
  known: PlannerFacts,
): Promise<PagePlan | undefined> {
  const walk =
    members.one === undefined || members.counter === undefined ? undefined : indexScanOf(request, known.usable, [])
  if (walk === undefined || (await countIdSet(tx, members)) <= costThresholdOf(request, known.total)) return undefined
  return { ...walk, indexOnly: false }
}

/** The path that finds fewest records. With `ids`, there are few, and the path consists of these ids. */
type CheapestPath = { readonly source: AccessPath; readonly found: number | 'many'; readonly ids?: readonly string[] }

async function planTotal(
  tx: ReadTx,
  { principal }: ListQuery,
  place: PlanScope,
  filter: ResolvedFilter,
  sources: readonly AccessPath[],
  best: CheapestPath | undefined,
): Promise<TotalPlan> {
  if (best !== undefined && best.found !== 'many') {
    return seesAll(principal) && coversFilter(best.source, filter) && best.source.selectivity !== selectivities.one
      ? { by: 'found', total: best.found }
      : { by: 'source', source: best.source }
  }
  const counted = countedByIndexes(place, filter, sources)
  if (counted !== undefined && seesAll(principal)) return { by: 'indexes', ...counted }
  if (counted !== undefined && [...counted.sources, ...counted.without].every(isPublicPath))
    return {
      by: 'public-and-private',
      ...(counted as Counted<PublicAccessPath>),
      isHeld: (await countPrivate(tx, { ...place, object: place.object.key, principal }, heldMax + 1)) <= heldMax,
    }
  return best === undefined ? { by: 'records' } : { by: 'source', source: best.source }
}

type Counted<S> = { readonly sources: readonly S[]; readonly without: readonly S[] }

/** Most ids of private records that are held in memory while an index is read: some megabytes. */
const heldMax = 50_000

const isPublicPath = (source: AccessPath): boolean => source.publicRows !== undefined

/**
 * Chooses paths that count a filter by indexes alone. Each part must be covered by a path, either as it stands or by
 * what it denies; otherwise the result is undefined.
 */
function countedByIndexes(
  place: PlanScope,
  filter: ResolvedFilter,
  sources: readonly AccessPath[],
): Counted<AccessPath> | undefined {
  const settling = new Set<AccessPath>()
  const without: AccessPath[] = []
  for (const part of conjunctsOf(filter)) {
    const denied = deniedBy(part)
    const own = sources.find((source) => source.covers.includes(part))
    const other =
      own === undefined && denied !== undefined
        ? accessPathsOf(place, denied).find((source) => coversFilter(source, denied))
        : undefined
    if (own !== undefined) settling.add(own)
    else if (other !== undefined) without.push(other)
    else return undefined
  }
  return { sources: [...settling], without }
}

/** Most access paths that are counted to find the best: counting more of them costs more than it gains. */
const countedPathsMax = 3

/**
 * The access path that finds fewest records. Paths are counted up to the cost threshold only, since above it another
 * plan is better anyway.
 */
async function cheapestPath(
  tx: ReadTx,
  sources: readonly AccessPath[],
  bound: number,
  mayBeFew: boolean,
): Promise<CheapestPath | undefined> {
  const [first] = sources
  if (first === undefined) return undefined
  if (first.selectivity === selectivities.one) return { source: first, found: 1 }
  // A path that reads a whole index is counted only if there is no other.
  const cheap = sources.filter(({ selectivity }) => selectivity < selectivities.scanned)
  const ids = cheap[0] && mayBeFew ? await idsUpTo(tx, cheap[0], idListMax + 1) : undefined
  if (cheap[0] !== undefined && ids !== undefined && ids.length <= idListMax)
    return { source: idListPath(cheap[0], ids), found: ids.length, ids }
  const counted = (cheap.length > 0 ? cheap : sources).slice(0, countedPathsMax)
  const counts = await Promise.all(counted.map((source) => countUpTo(tx, source, bound)))
  const least = Math.min(...counts)
  return { source: defined(counted[counts.indexOf(least)]), found: least < bound ? least : 'many' }
}

async function idsUpTo(tx: ReadTx, { rows }: AccessPath, bound: number): Promise<string[]> {
  const found = await tx.query<{ record_id: string }>((sql) => rows(sql).limit(bound), { heavy: true })
  return found.map(({ record_id }) => record_id)
}

/** An access path replaced by the ids that it found. */
const idListPath = ({ covers: settled, selectivity, label }: AccessPath, ids: readonly string[]): AccessPath => ({
  rows: rowsOfIds(ids),
  covers: settled,
  selectivity,
  label,
})

async function countUpTo(tx: ReadTx, { rows }: AccessPath, bound: number): Promise<number> {
  const [row] = await tx.query<{ total: number }>(
    (sql) => sql.knex.count('* as total').from(rows(sql).limit(bound).as('c')),
    { heavy: true },
  )
  return row?.total ?? 0
}

const costThresholdMin = 500
const costThresholdMax = 20_000

/**
 * The number of matches above which a list is read by an index scan instead of being looked up and sorted. With m of n
 * records matching, a scan finds l rows after reading l·n/m, and that is less than m where m is above the root of l·n.
 * In the order of a field, sorting is safer: callers who look for a name also sort by name, and the matches may lie
 * together at the far end of the index.
 */
function costThresholdOf(request: ListQuery, total: number): number {
  const { offset, limit, position } = request
  if (!isByTime(request)) return costThresholdMax
  return Math.ceil(
    Math.min(
      costThresholdMax,
      Math.max(costThresholdMin, Math.sqrt(((position === undefined ? offset : 0) + limit + 1) * total)),
    ),
  )
}

/** Notes in an index-only scan whether the caller owns any private record: if not, the scan need not check owners. */
const withOwnership = async (
  tx: ReadTx,
  { workspaceId, object, principal }: ListQuery,
  walk: IndexScanPlan | undefined,
): Promise<IndexScanPlan | undefined> =>
  walk?.indexOnly !== true || seesAll(principal)
    ? walk
    : { ...walk, owns: await ownsAny(tx, { workspaceId, object: object.key, principal }) }

/** A scan of the index of the first sort column. */
function indexScanOf(
  { object, sort, filter }: ListQuery,
  usable: IsIndexUsable,
  sources: readonly AccessPath[],
): IndexScanPlan | undefined {
  const column = sort[0]?.column
  // Each item has a row of its own, and one of them would have to be chosen.
  if (column === undefined || isOfItems(column)) return undefined
  const kind = orderedKind(column)
  if (kind === undefined || !usable(object, column, kind)) return undefined
  const index = orderedIndex(object, column, kind)
  const own = sources.find(({ range }) => range?.index.place === index.place && range.index.table === index.table)
  const isWhole = filter === undefined || (own !== undefined && coversFilter(own, filter))
  return { by: 'index-scan', index, range: own?.range, indexOnly: isWhole && sort.length === 1, owns: false }
}
