import type { ReaderPool } from './readers/pool.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

/** So many pages of the log wait to be copied into the database file: 4 MiB, some 10 ms of copying. */
const pagesMax = 500

/**
 * Has the log copied into the database file by a reader process. SQLite would do so within a commit, and everybody would wait
 * for the pages and the disk: up to 100 ms where a job changes many records.
 */
export class Checkpoints {
  readonly #connection: SqliteConnection
  readonly #pool: ReaderPool
  #running = false

  constructor(connection: SqliteConnection, pool: ReaderPool) {
    this.#connection = connection
    this.#pool = pool
  }

  /** To be told of every commit; looks how long the log is, in 4 µs. */
  readonly afterCommit = (): void => {
    if (this.#running || this.#pagesLeft() < pagesMax) return
    this.#running = true
    const end = (): void => void (this.#running = false)
    // One that fails is made up for by the next, or by SQLite itself.
    this.#pool.checkpoint().then(end, end)
  }

  #pagesLeft(): number {
    try {
      const { log, checkpointed } = this.#connection.first('pragma wal_checkpoint(noop)', []) as {
        readonly log: number
        readonly checkpointed: number
      }
      return log - checkpointed
    } catch {
      // The commit stands, whatever becomes of its log: the next one looks again.
      return 0
    }
  }
}
