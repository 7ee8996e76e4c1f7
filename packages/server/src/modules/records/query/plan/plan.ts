import type { ReadTx } from '../../../../db/tx.ts'
import { countPrivate, ownsAny, seesAll } from '../../../access/index.ts'
import { orderedKind } from '../../indexes/kinds.ts'
import { isOfItems } from '../columns.ts'
import { conjunctsOf, type ResolvedFilter } from '../filter.ts'
import { deniedBy } from '../filter-sql.ts'
import { isByTime, type Members, type PageRequest } from '../page-request.ts'
import { fewMax, findFew, isByCreation, type FewPlan } from './few.ts'
import { readHits, tellsOrder, type Hits, type WithCreation } from './hits.ts'
import { byMembers, countMembers } from './members.ts'
import { orderedIndex, type IndexRange, type OrderedIndex } from './range.ts'
import { ranks, rowsOfIds, settles, type Place, type Source, type Usable } from './source.ts'
import { sourcesOf } from './sources.ts'
import { fewVisible } from './visible.ts'

/** How a page is read. */
export type PagePlan =
  /** These, of which the list consists. */
  | FewPlan
  /** All records of the object, in the order of their times where they are sorted by one. */
  | { readonly by: 'records' }
  /** Those that an index finds, few enough to sort them; `few` where they are fewer than a page or two. */
  | { readonly by: 'source'; readonly source: Source; readonly few: boolean }
  /** Read already, when the total was counted. */
  | { readonly by: 'hits'; readonly source: Source; readonly keys: Hits['keys'] }
  /** Those and no others, in the order of their ids. */
  | { readonly by: 'members'; readonly members: Members }
  /** An index in its order, a part of it where there is a range; without a look at the records where it alone tells all, but for who `owns` them. */
  | { readonly by: 'walk'; readonly index: OrderedIndex; readonly range: IndexRange | undefined; readonly alone: boolean; readonly owns: boolean }

export type WalkPlan = Extract<PagePlan, { by: 'walk' }>

/** How the total is found. */
export type TotalPlan =
  | { readonly by: 'counter' }
  | { readonly by: 'records' }
  | { readonly by: 'source'; readonly source: Source }
  /** The records that all sources find, or else all of the object, less those that one of the others finds; without a look at any. */
  | { readonly by: 'indexes'; readonly sources: readonly Source[]; readonly without: readonly Source[] }
  /**
   * What is public, by its counter or by indexes that say what is, and what else the caller may see: among what the indexes find
   * where it is no more than can be held (`isHeld`), and looked at record by record otherwise.
   */
  | { readonly by: 'sides'; readonly sources: readonly Shared[]; readonly without: readonly Shared[]; readonly isHeld: boolean }
  | { readonly by: 'members'; readonly members: Members }
  /** Counted already. */
  | { readonly by: 'found'; readonly total: number }

/** A source that says what is public. */
type Shared = Source & Required<Pick<Source, 'shared'>>

export type ListPlan = { readonly page: PagePlan; readonly total: TotalPlan }

/** A list that is known how to be read. */
export type PlannedRequest = PageRequest & { readonly plan: ListPlan }

export type Known = { readonly usable: Usable; readonly total: number }

/** Decides how to read a list, by its filter and sort, and by counting a little where that does not say enough. */
export async function planList(tx: ReadTx, request: PageRequest, known: Known): Promise<ListPlan> {
  if (request.members !== undefined) return planMembers(tx, request, request.members, known)
  const { filter } = request
  const few = await findFew(tx, request, known.usable)
  if (few !== undefined && few !== 'many') return { page: few.page, total: { by: 'found', total: few.total } }
  const place: Place = { ...request, usable: known.usable }
  const sources = filter === undefined ? [] : sourcesOf(place, filter)
  const walk = await walkFor(tx, request, walkOf(request, known.usable, sources))
  const bound = boundOf(request, known.total)
  if (filter === undefined) return planWhole(tx, request, bound, walk ?? { by: 'records' })
  const told = sources.find((source) => tellsOrder(source, request))
  const hits = told && (await planHits(tx, request, told))
  if (hits !== undefined) return hits
  const narrow: Best | undefined = told === undefined ? await narrowest(tx, sources, bound, few !== 'many') : { source: told, found: 'many' }
  const best = narrow !== undefined && narrow.found !== 'many' ? narrow : ((await littleVisible(tx, request, bound)) ?? narrow)
  const isSmall = best !== undefined && best.found !== 'many'
  const inOrder = walk !== undefined || isByTime(request)
  const total = await planTotal(tx, request, place, filter, sources, best)
  if (best?.ids !== undefined && total.by === 'found' && isByCreation(request)) return { page: { by: 'found', ids: best.ids, words: best.source.words }, total }
  const page: PagePlan = best !== undefined && (isSmall || !inOrder) ? { by: 'source', source: best.source, few: best.ids !== undefined || best.source.rank === ranks.one } : (walk ?? { by: 'records' })
  return { page, total }
}

/** By what a source finds, read once; undefined where that is more than can be sorted, and has to be counted to the last. */
async function planHits(tx: ReadTx, request: PageRequest, source: WithCreation): Promise<ListPlan | undefined> {
  const max = request.countMax ?? boundMax
  const { keys, total } = await readHits(tx, request, source, max)
  if (total <= max) return { page: { by: 'hits', source, keys }, total: { by: 'found', total } }
  return request.countMax === undefined ? undefined : { page: { by: 'records' }, total: { by: 'found', total } }
}

/** All that the caller may see: in its order, unless it is little of much. */
async function planWhole(tx: ReadTx, request: PageRequest, bound: number, inOrder: PagePlan): Promise<ListPlan> {
  if (seesAll(request.asker)) return { page: inOrder, total: { by: 'counter' } }
  const little = await littleVisible(tx, request, bound)
  return { page: little === undefined ? inOrder : { by: 'source', source: little.source, few: little.found <= fewMax }, total: { by: 'sides', sources: [], without: [], isHeld: false } }
}

const littleVisible = async (tx: ReadTx, request: PageRequest, bound: number): Promise<(Best & { readonly found: number }) | undefined> => (seesAll(request.asker) ? undefined : fewVisible(tx, request, bound))

/** There are mostly few: without a filter they are a list by themselves, and otherwise what is looked through. */
async function planMembers(tx: ReadTx, request: PageRequest, members: Members, known: Known): Promise<ListPlan> {
  const { filter, sort } = request
  const source = byMembers(members)
  if (filter !== undefined) return { page: { by: 'source', source, few: false }, total: { by: 'source', source } }
  const total: TotalPlan = { by: 'members', members }
  if (sort.length === 0) return { page: { by: 'members', members }, total }
  return { page: (await walkToMembers(tx, request, members, known)) ?? { by: 'source', source, few: false }, total }
}

/** Of so many that sorting them costs more, the walk along an index, which passes over those that are none of them. */
async function walkToMembers(tx: ReadTx, request: PageRequest, members: Members, known: Known): Promise<PagePlan | undefined> {
  const walk = members.one === undefined || members.counter === undefined ? undefined : walkOf(request, known.usable, [])
  if (walk === undefined || (await countMembers(tx, members)) <= boundOf(request, known.total)) return undefined
  return { ...walk, alone: false }
}

/** `ids` where they are few, and then the source is these. */
type Best = { readonly source: Source; readonly found: number | 'many'; readonly ids?: readonly string[] }

async function planTotal(tx: ReadTx, { asker }: PageRequest, place: Place, filter: ResolvedFilter, sources: readonly Source[], best: Best | undefined): Promise<TotalPlan> {
  if (best !== undefined && best.found !== 'many') {
    return seesAll(asker) && settles(best.source, filter) && best.source.rank !== ranks.one ? { by: 'found', total: best.found } : { by: 'source', source: best.source }
  }
  const counted = countedByIndexes(place, filter, sources)
  if (counted !== undefined && seesAll(asker)) return { by: 'indexes', ...counted }
  if (counted !== undefined && [...counted.sources, ...counted.without].every(isShared)) return { by: 'sides', ...(counted as Counted<Shared>), isHeld: (await countPrivate(tx, { ...place, object: place.object.key, asker }, heldMax + 1)) <= heldMax }
  return best === undefined ? { by: 'records' } : { by: 'source', source: best.source }
}

type Counted<S> = { readonly sources: readonly S[]; readonly without: readonly S[] }

/** What a caller alone sees is held in memory while an index is read, up to so many ids: some megabytes. */
const heldMax = 50_000

const isShared = (source: Source): boolean => source.shared !== undefined

/** How indexes alone count a filter; undefined where they do not settle all of it, as it stands or by what it denies. */
function countedByIndexes(place: Place, filter: ResolvedFilter, sources: readonly Source[]): Counted<Source> | undefined {
  const settling = new Set<Source>()
  const without: Source[] = []
  for (const part of conjunctsOf(filter)) {
    const denied = deniedBy(part)
    const own = sources.find((source) => source.settles.includes(part))
    const other = own === undefined && denied !== undefined ? sourcesOf(place, denied).find((source) => settles(source, denied)) : undefined
    if (own !== undefined) settling.add(own)
    else if (other !== undefined) without.push(other)
    else return undefined
  }
  return { sources: [...settling], without }
}

/** Sources counted to find the best: more cost more than they tell. */
const countedMax = 3

/** The source that finds fewest; counted up to a bound, since above it another way is better anyway. */
async function narrowest(tx: ReadTx, sources: readonly Source[], bound: number, mayBeFew: boolean): Promise<Best | undefined> {
  const [first] = sources
  if (first === undefined) return undefined
  if (first.rank === ranks.one) return { source: first, found: 1 }
  // What reads a whole index to know is asked only where nothing else is known.
  const cheap = sources.filter(({ rank }) => rank < ranks.scanned)
  const ids = cheap[0] && mayBeFew ? await idsUpTo(tx, cheap[0], fewMax + 1) : undefined
  if (cheap[0] !== undefined && ids !== undefined && ids.length <= fewMax) return { source: ofIds(cheap[0], ids), found: ids.length, ids }
  const counted = (cheap.length > 0 ? cheap : sources).slice(0, countedMax)
  const counts = await Promise.all(counted.map((source) => countUpTo(tx, source, bound)))
  const least = Math.min(...counts)
  return { source: counted[counts.indexOf(least)] as Source, found: least < bound ? least : 'many' }
}

async function idsUpTo(tx: ReadTx, { rows }: Source, bound: number): Promise<string[]> {
  const found = await tx.query<{ record_id: string }>((sql) => rows(sql).limit(bound), { heavy: true })
  return found.map(({ record_id }) => record_id)
}

/** What a source has found, in its place. */
const ofIds = ({ settles: settled, rank, words }: Source, ids: readonly string[]): Source => ({
  rows: rowsOfIds(ids),
  settles: settled,
  rank,
  words,
})

async function countUpTo(tx: ReadTx, { rows }: Source, bound: number): Promise<number> {
  const [row] = await tx.query<{ total: number }>((sql) => sql.knex.count('* as total').from(rows(sql).limit(bound).as('c')), { heavy: true })
  return row?.total ?? 0
}

const boundMin = 500
const boundMax = 20_000

/**
 * Up to so many records that a filter finds are looked up and sorted; of more, a walk in the order of the list meets a page
 * sooner. With m of n records found, a walk of l looks at l·n/m, and that is less than m above the root of l·n. In the order of
 * a field it is surer to sort: those who look for a name sort by name, and what they find may stand together far behind.
 */
function boundOf(request: PageRequest, total: number): number {
  const { offset, limit, position } = request
  if (!isByTime(request)) return boundMax
  return Math.ceil(Math.min(boundMax, Math.max(boundMin, Math.sqrt(((position === undefined ? offset : 0) + limit + 1) * total))))
}

/** Whoever owns nothing that is not public needs no look at owners on the way. */
const walkFor = async (tx: ReadTx, { workspaceId, object, asker }: PageRequest, walk: WalkPlan | undefined): Promise<WalkPlan | undefined> =>
  walk?.alone !== true || seesAll(asker) ? walk : { ...walk, owns: await ownsAny(tx, { workspaceId, object: object.key, asker }) }

/** The walk along the index of the first column sorted by. */
function walkOf({ object, sort, filter }: PageRequest, usable: Usable, sources: readonly Source[]): WalkPlan | undefined {
  const column = sort[0]?.column
  // Of several items one would have to be chosen, and each has a row.
  if (column === undefined || isOfItems(column)) return undefined
  const kind = orderedKind(column)
  if (kind === undefined || !usable(object, column, kind)) return undefined
  const index = orderedIndex(object, column, kind)
  const own = sources.find(({ range }) => range?.index.place === index.place && range.index.table === index.table)
  const isWhole = filter === undefined || (own !== undefined && settles(own, filter))
  return { by: 'walk', index, range: own?.range, alone: isWhole && sort.length === 1, owns: false }
}
