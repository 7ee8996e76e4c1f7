import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { DatabaseOverloaded } from '../../../db/errors.ts'
import type { Database, ReadTx } from '../../../db/tx.ts'
import { enqueue, findPayload } from '../../../engine/store.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { throttle } from '../../../lib/throttle.ts'
import { fillDocuments } from './fill.ts'
import { indexDocuments } from './index-documents.ts'
import { countUnindexed } from './store.ts'

/**
 * Most unindexed documents of an object: every search reads them one by one, in a millisecond or two. Above this
 * number, all are indexed.
 */
const unindexedMax = 2000
const lookedAfterMs = 5000

const objectsCached = 10_000

/**
 * Long enough for the documents of a new installation of a few thousand records; a search in more of them has to be
 * repeated.
 */
const waitMaxMs = 5000
const lookMs = 50

type Options = {
  readonly database: Database
  readonly clock: Clock
  /** Objects with fewer records than this have no search index. */
  readonly threshold: number
  readonly onError: (error: unknown) => void
}

/** Keeps the search documents complete and indexed (docs/decisions/0072). */
export class SearchDocuments {
  readonly #options: Options
  readonly #complete = new LRUCache<string, true>({ max: objectsCached })
  readonly #mayLook: ReturnType<typeof throttle>

  constructor(options: Options) {
    this.#options = options
    this.#mayLook = throttle(options.clock, lookedAfterMs)
  }

  /** Resolves once every record of an object has its document. Throws DatabaseOverloaded if that takes long. */
  async ready(tx: ReadTx, workspaceId: string, object: string): Promise<void> {
    const key = `${workspaceId}:${object}`
    const until = performance.now() + waitMaxMs
    let hasWaited = false
    while (!this.#complete.has(key)) {
      // A handle of one state would never see the end of it.
      const { reader } = this.#options.database
      const filling = await findPayload(reader, {
        workspace_id: workspaceId,
        kind: fillDocuments.name,
        job_key: object,
      })
      if (filling === undefined || !fillDocuments.payload.parse(filling).first) this.#complete.set(key, true)
      else if (performance.now() > until)
        throw new DatabaseOverloaded(`The words of ${object} records are still being collected`)
      else await sleep(lookMs)
      hasWaited = !this.#complete.has(key) || hasWaited
    }
    if (hasWaited) tx.requireLatest()
    this.#lookAfter(workspaceId, object)
  }

  /** Enqueues the indexing of documents if many are unindexed; the caller does not wait for it. */
  #lookAfter(workspaceId: string, object: string): void {
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
