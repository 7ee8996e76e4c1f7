import type { SqliteConnection } from './sqlite-connection.ts'
import type { SqliteTx } from './sqlite-tx.ts'

/** A group commits after this many requests at the latest, so that the first of them does not wait long. */
const groupMax = 50

type Entry = { readonly work: () => Promise<unknown>; readonly resolve: (value: unknown) => void; readonly reject: (error: unknown) => void }
type Settled = { readonly entry: Entry; readonly value: unknown }

/**
 * The one writer of a SQLite database. Requests run one after another, each under its own SAVEPOINT, and share
 * one COMMIT with those that arrived in the same turn of the event loop: an fsync a group, not a request.
 * Nobody is answered before the commit.
 */
export class SqliteWriter {
  readonly #connection: SqliteConnection
  readonly #tx: SqliteTx
  readonly #queue: Entry[] = []
  #group: Settled[] = []
  #running = false
  #commitScheduled = false

  constructor(connection: SqliteConnection, tx: SqliteTx) {
    this.#connection = connection
    this.#tx = tx
  }

  write<T>(work: (tx: SqliteTx) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work: () => work(this.#tx), resolve: resolve as (value: unknown) => void, reject })
      if (!this.#running) void this.#run()
    })
  }

  /** Resolves when nothing is queued or uncommitted. */
  async drain(): Promise<void> {
    while (this.#running || this.#queue.length > 0 || this.#group.length > 0) await new Promise((resolve) => setImmediate(resolve))
  }

  async #run(): Promise<void> {
    this.#running = true
    for (let entry = this.#queue.shift(); entry !== undefined; entry = this.#queue.shift()) {
      await this.#runOne(entry)
      if (this.#group.length >= groupMax) this.#commit()
    }
    this.#running = false
    if (this.#group.length > 0) this.#scheduleCommit()
  }

  async #runOne(entry: Entry): Promise<void> {
    try {
      if (!this.#connection.driver.inTransaction) this.#connection.run('begin immediate', [])
      this.#connection.run('savepoint request', [])
    } catch (error) {
      entry.reject(error)
      return
    }
    try {
      const value = await entry.work()
      this.#connection.run('release request', [])
      this.#group.push({ entry, value })
    } catch (error) {
      this.#undo(error)
      entry.reject(error)
    }
  }

  /** An error such as a full disk ends the whole transaction by itself; then the group before it is lost too. */
  #undo(error: unknown): void {
    if (this.#connection.driver.inTransaction) {
      this.#connection.run('rollback to request', [])
      this.#connection.run('release request', [])
      if (this.#group.length === 0) this.#connection.run('rollback', [])
    } else this.#rejectGroup(error)
  }

  /** In the check phase of the event loop, so that requests read from other sockets in this turn can join. */
  #scheduleCommit(): void {
    if (this.#commitScheduled) return
    this.#commitScheduled = true
    setImmediate(() => {
      this.#commitScheduled = false
      if (!this.#running && this.#group.length > 0) this.#commit()
    })
  }

  #commit(): void {
    try {
      this.#connection.run('commit', [])
    } catch (error) {
      if (this.#connection.driver.inTransaction) this.#connection.run('rollback', [])
      this.#rejectGroup(error)
      return
    }
    const group = this.#group
    this.#group = []
    for (const { entry, value } of group) entry.resolve(value)
  }

  #rejectGroup(error: unknown): void {
    const group = this.#group
    this.#group = []
    for (const { entry } of group) entry.reject(error)
  }
}
