import { seesAll, countPrivate, countPublic, privateRows, publicRows } from '../../access/index.ts'
import type { ReadTx } from '../../../db/tx.ts'
import type { KeptTotals } from '../../indexes/index.ts'
import {
  idListMax,
  selectivities,
  type AccessPath,
  type IsIndexUsable,
  type PlanScope,
} from '../access-paths/access-path.ts'
import { candidatesFor } from '../access-paths/candidates.ts'
import { cheapestOf, type Candidate } from '../access-paths/cheapest.ts'
import { isCovering, type CoveringPath } from '../access-paths/covering-path.ts'
import { indexScanOf, type IndexScan } from '../access-paths/ordered-scan.ts'
import { isByTime, type ListQuery } from '../list-query.ts'

/**
 * The facts about an object before a plan: its usable indexes, how many records it has, whether these are
 * so few that to read them all takes no turn, whether their ids are in the order of their creation, and the totals that
 * were counted before.
 */
export type PlannerFacts = {
  readonly usable: IsIndexUsable
  readonly total: number
  readonly isSmall: boolean
  readonly idsInOrder: boolean
  readonly keptTotals: KeptTotals
}

const costThresholdMin = 500
export const costThresholdMax = 20_000

/** A list while it is planned. Strategies share what one of them has found out, so that it is found out once. */
export class Planning {
  readonly tx: ReadTx
  readonly query: ListQuery
  readonly scope: PlanScope
  readonly #facts: PlannerFacts
  #paths: readonly AccessPath[] | undefined
  #cheapest: { readonly candidate: Candidate | undefined } | undefined

  constructor(tx: ReadTx, query: ListQuery, facts: PlannerFacts) {
    this.tx = tx
    this.query = query
    this.scope = { ...query, usable: facts.usable }
    this.#facts = facts
  }

  get isSmall(): boolean {
    return this.#facts.isSmall
  }

  get idsInOrder(): boolean {
    return this.#facts.idsInOrder
  }

  get keptTotals(): KeptTotals {
    return this.#facts.keptTotals
  }

  /** The candidates for the filter, the most selective first. */
  get paths(): readonly AccessPath[] {
    const { filter } = this.query
    return (this.#paths ??= filter === undefined ? [] : candidatesFor(this.scope, filter))
  }

  /** A path that yields everything that sorts the page, if there is one. */
  get coveringPath(): CoveringPath | undefined {
    return this.paths.find((path) => isCovering(path, this.query))
  }

  /** The index scan that yields the order of the list, if there is one. */
  get indexScan(): IndexScan | undefined {
    return indexScanOf(this.query, this.#facts.usable, this.paths)
  }

  /** Tells whether an index yields the order of the list, so that nothing has to be sorted. */
  get hasOrder(): boolean {
    return isByTime(this.query) || this.indexScan !== undefined
  }

  /**
   * The number of matches above which a list is read by an index scan instead of being looked up and sorted. With m of
   * n records matching, a scan finds l rows after reading l·n/m, and that is less than m where m is above the root of
   * l·n. In the order of a field, sorting is safer: callers who look for a name also sort by name, and the matches may
   * lie together at the far end of the index.
   */
  get costThreshold(): number {
    const { offset, limit, position } = this.query
    if (!isByTime(this.query)) return costThresholdMax
    const rows = (position === undefined ? offset : 0) + limit + 1
    return Math.ceil(Math.min(costThresholdMax, Math.max(costThresholdMin, Math.sqrt(rows * this.#facts.total))))
  }

  /** The cheapest candidate: the path that finds fewest records, or else the records that the caller may see. */
  async cheapest(): Promise<Candidate | undefined> {
    this.#cheapest ??= { candidate: await this.#findCheapest() }
    return this.#cheapest.candidate
  }

  async #findCheapest(): Promise<Candidate | undefined> {
    const { tx, query, costThreshold, coveringPath } = this
    const best =
      coveringPath === undefined
        ? await cheapestOf(tx, this.paths, costThreshold)
        : { path: coveringPath, cardinality: undefined, isLight: false }
    if (best?.cardinality !== undefined || seesAll(query.principal)) return best
    const visible = await visiblePath(tx, query, costThreshold)
    if (visible === undefined) return best
    return { ...visible, isLight: query.filter === undefined && visible.cardinality <= idListMax }
  }
}

/**
 * An access path to all records that the caller may see of a restricted object, and their number, if they are fewer
 * than the cost threshold; otherwise undefined. A caller may see ten records of a million, and an index scan through
 * the million would take seconds to find them.
 */
async function visiblePath(
  tx: ReadTx,
  { workspaceId, object, principal }: ListQuery,
  costThreshold: number,
): Promise<{ readonly path: AccessPath; readonly cardinality: number } | undefined> {
  const scope = { workspaceId, object: object.key, principal }
  const shared = await countPublic(tx, scope)
  if (shared >= costThreshold) return undefined
  const cardinality = shared + (await countPrivate(tx, scope, costThreshold - shared))
  if (cardinality >= costThreshold) return undefined
  const path: AccessPath = {
    rows: (sql) =>
      principal.userId !== null ? publicRows(sql, scope).union(privateRows(sql, scope)) : publicRows(sql, scope),
    covers: [],
    selectivity: selectivities.many,
    label: 'what the caller may see',
  }
  return { path, cardinality }
}
