import type { Database } from '../../../db/tx.ts'
import { enqueue } from '../../../engine/store.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { throttle } from '../../../lib/throttle.ts'
import { indexDocuments } from './index-documents.ts'
import { countUnindexed } from './store.ts'

/**
 * Most unindexed documents of an object: every search reads them one by one, in a millisecond or two. Above this
 * number, all are indexed.
 */
const unindexedMax = 2000
const lookedAfterMs = 5000

type Options = {
  readonly database: Database
  readonly clock: Clock
  /** Objects with fewer records than this have no search index. */
  readonly threshold: number
  readonly onError: (error: unknown) => void
}

/** Keeps the search documents indexed (docs/decisions/0072). */
export class SearchDocuments {
  readonly #options: Options
  readonly #mayLook: ReturnType<typeof throttle>

  constructor(options: Options) {
    this.#options = options
    this.#mayLook = throttle(options.clock, lookedAfterMs)
  }

  /** Enqueues the indexing of documents if many are unindexed; the caller does not wait for it. */
  lookAfter(workspaceId: string, object: string): void {
    if (!this.#mayLook(`${workspaceId}:${object}`, null)) return
    const { database, clock, threshold, onError } = this.#options
    const many = Math.min(unindexedMax, threshold) + 1
    const look = async () => {
      if ((await countUnindexed(database.reader, workspaceId, object, many)) < many) return
      await database.write((tx) =>
        enqueue(tx, { workspaceId, kind: indexDocuments, payload: { object }, now: clock.now(), key: object }),
      )
    }
    look().catch(onError)
  }
}
