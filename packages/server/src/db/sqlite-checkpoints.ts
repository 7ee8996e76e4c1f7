import { memberOf, numberOf } from '../lib/guards.ts'
import type { ReaderPool } from './readers/pool.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

/** Pages of the write-ahead log that trigger a checkpoint: 8 MiB, some 20 ms of copying. */
const pagesMax = 1000

/**
 * Has a reader process copy the log into the database file (a checkpoint). SQLite would do so within a commit, and
 * every request would wait for the pages and the disk: up to 100 ms when a job changes many records.
 */
export class Checkpoints {
  readonly #connection: SqliteConnection
  readonly #pool: ReaderPool
  readonly #announce: (isCopying: boolean) => void
  #running = false

  /** `announce` is called before pages are copied, and afterwards. */
  constructor(connection: SqliteConnection, pool: ReaderPool, announce: (isCopying: boolean) => void) {
    this.#connection = connection
    this.#pool = pool
    this.#announce = announce
  }

  /** Called after every commit; checks the length of the log, in 4 µs. */
  readonly afterCommit = (): void => {
    if (!this.#running) void this.#copy()
  }

  /** Goes on while commits meanwhile have lengthened the log, and ends where a reader of old pages holds it. */
  async #copy(): Promise<void> {
    this.#running = true
    for (let copied = -1, state = this.#state(); state.log - state.copied >= pagesMax; state = this.#state()) {
      if (state.copied === copied) break
      copied = state.copied
      // A failed checkpoint is made up for by the next one, or by SQLite itself.
      this.#announce(true)
      await this.#pool.checkpoint().catch(() => undefined)
      this.#announce(false)
    }
    this.#running = false
  }

  /** Pages in the log, and how many of them are in the database file already. */
  #state(): { readonly log: number; readonly copied: number } {
    try {
      const state = this.#connection.first('pragma wal_checkpoint(noop)', [])
      return { log: numberOf(memberOf(state, 'log')), copied: numberOf(memberOf(state, 'checkpointed')) }
    } catch {
      // The commit stands, whatever happens to its log: the next commit checks again.
      return { log: 0, copied: 0 }
    }
  }
}
