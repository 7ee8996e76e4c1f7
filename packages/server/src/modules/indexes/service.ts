import { LRUCache } from 'lru-cache'
import { totalRecords, unorderedCounter } from '../counters/index.ts'
import type { Database, ReadTx } from '../../db/tx.ts'
import type { Clock } from '../../kernel/clock.ts'
import { throttle } from '../../lib/throttle.ts'
import type { ObjectModel } from '../objects/index.ts'
import { SearchDocuments } from './documents/service.ts'
import { buildIndex } from './build.ts'
import { indexesMax, missingOf, requestIndexes } from './request.ts'
import { isBuiltInIndex, keyOf, type FieldIndex } from './rows.ts'
import { KeptTotals } from './kept-totals.ts'
import { listIndexStates, updateIndexState, type IndexName, type IndexState } from './store.ts'
import { fillDocuments } from './documents/fill.ts'
import { indexDocuments } from './documents/index-documents.ts'

/** Facts about an object that the planner of a list uses. */
export type IndexFacts = {
  readonly states: readonly IndexState[]
  readonly total: number
  readonly idsInOrder: boolean
}

/**
 * Greatest age of the figures that lists plan with; an index that another node finishes is used after this time at the
 * latest.
 */
const factsMs = 1000
const objectsCached = 10_000

const useNotedMs = 3_600_000

type Options = {
  readonly database: Database
  readonly clock: Clock
  /** Objects with more records than this get indexes for what they are sorted and filtered by. */
  readonly threshold: number
  readonly onError: (error: unknown) => void
}

/** Indexes on demand: which exist, and which are to be built (docs/decisions/0045). */
export class FieldIndexes {
  readonly documents: SearchDocuments
  readonly keptTotals = new KeptTotals()
  readonly #options: Options
  readonly #facts: LRUCache<string, IndexFacts>
  readonly #mayNote: ReturnType<typeof throttle>

  constructor(options: Options) {
    this.documents = new SearchDocuments(options)
    this.#options = options
    this.#facts = new LRUCache({ max: objectsCached, ttl: factsMs, perf: { now: () => options.clock.monotonicMs() } })
    this.#mayNote = throttle(options.clock, useNotedMs)
  }

  async facts(tx: ReadTx, workspaceId: string, object: ObjectModel): Promise<IndexFacts> {
    const key = `${workspaceId}:${object.key}`
    // An index that the primary has may be incomplete on a replica still.
    const cached = tx.isReplica ? undefined : this.#facts.get(key)
    if (cached !== undefined) return cached
    const [states, total, unordered] = await Promise.all([
      listIndexStates(tx, workspaceId, object.key),
      totalRecords(tx, workspaceId, object.key),
      // Records of a read-only object stand for what is created elsewhere, under ids of its own.
      object.readOnly ? 1 : totalRecords(tx, workspaceId, unorderedCounter(object.key)),
    ])
    const facts = { states, total, idsInOrder: unordered === 0 }
    if (!tx.isReplica) this.#facts.set(key, facts)
    return facts
  }

  /**
   * Requests the missing indexes of a list, if the object is large enough. Never throws: the caller of the list gets
   * the list, or its own error, whether or not the next read will be faster.
   */
  async requestMissing(
    workspaceId: string,
    object: ObjectModel,
    wanted: readonly FieldIndex[],
    { states, total }: IndexFacts,
  ): Promise<void> {
    if (total <= this.#options.threshold) return
    const onDemand = wanted
      .filter(({ column, kind }) => !isBuiltInIndex(column, kind))
      .map(({ column, kind }): IndexName => ({ object: object.key, field: keyOf(column), kind }))
    const names = missingOf(onDemand, states)
    if (names.length === 0 || states.length + names.length > indexesMax) return
    try {
      const now = this.#options.clock.now()
      await this.#options.database.write((tx) => requestIndexes(tx, workspaceId, names, total, now))
      this.#facts.delete(`${workspaceId}:${object.key}`)
    } catch (error) {
      this.#options.onError(error)
    }
  }

  /** Records that a list used an index, at most once an hour; the caller does not wait for it. */
  noteUse(workspaceId: string, name: IndexName): void {
    const { database, clock, onError } = this.#options
    if (!this.#mayNote(`${workspaceId}:${name.object}.${name.field}:${name.kind}`, null)) return
    database.write((tx) => updateIndexState(tx, workspaceId, name, { last_used_at: clock.now() })).catch(onError)
  }
}

/** The background jobs of records. */
export const recordJobs = [buildIndex, fillDocuments, indexDocuments]
