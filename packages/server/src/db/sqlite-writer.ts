import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { RoundRobin } from '../lib/round-robin.ts'
import { DatabaseOverloaded, DatabaseUnavailable } from './errors.ts'
import { theServer } from './heavy-reads.ts'
import { isBusy, type SqliteConnection } from './sqlite-connection.ts'
import { SqlitePortions } from './sqlite-executor.ts'
import { TransactionState } from './transaction-state.ts'
import type { Figure } from './tx.ts'

/** A group commits after this many requests or milliseconds, so that the first of them does not wait long. */
const groupMax = 50
const groupMs = 5

/**
 * Another process may hold the write lock (the command line on the same file, a backup): after 5 s the writer gives up.
 */
const lockWaitMaxMs = 5000
const lockPollMs = 10

/** Requests that may queue: some 50 ms of work. */
const waitingMax = 500

type Work<T = unknown> = (state: TransactionState, portions: SqlitePortions) => Promise<T>
type Entry = {
  readonly since: number
  readonly work: Work
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}
type Settled = { readonly entry: Entry; readonly outcome: PromiseSettledResult<unknown> }

/**
 * The one writer of a SQLite database. Requests run one after another, each under its own SAVEPOINT: those of
 * one workspace in the order of their arrival, and the workspaces by turns (docs/decisions/0235). They share one COMMIT
 * with those that arrived in the same turn of the event loop: one fsync per group, not per request. No request is
 * answered before the commit, not even with a refusal: it may rest on what another request of the group has written.
 */
export class SqliteWriter {
  readonly #connection: SqliteConnection
  readonly #afterCommit: () => void
  readonly #queue = new RoundRobin<Entry>()
  #group: Settled[] = []
  #begunAt = 0
  #running = false
  #commitScheduled = false
  #mustRollBack = false
  #commits = 0
  #committed = 0

  constructor(connection: SqliteConnection, afterCommit: () => void) {
    this.#connection = connection
    this.#afterCommit = afterCommit
  }

  write<T>(work: Work<T>, party = theServer): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(party, {
        since: performance.now(),
        work,
        resolve: resolve as (value: unknown) => void,
        reject,
      })
      if (!this.#running) void this.#run()
    })
  }

  get isCrowded(): boolean {
    return this.#queue.length >= waitingMax
  }

  get figures(): Figure[] {
    return [
      {
        name: 'writer_waiting',
        help: 'Requests that wait for the writer.',
        kind: 'gauge',
        read: () => this.#queue.length,
      },
      {
        name: 'commits_total',
        help: 'Commits, each of one group of requests.',
        kind: 'counter',
        read: () => this.#commits,
      },
      {
        name: 'committed_requests_total',
        help: 'Requests in these commits. Divided by the number of commits: the size of a group.',
        kind: 'counter',
        read: () => this.#committed,
      },
    ]
  }

  /** Resolves when nothing is queued or uncommitted. */
  async drain(): Promise<void> {
    while (this.#running || this.#queue.length > 0 || this.#group.length > 0) await nextTurn()
  }

  async #run(): Promise<void> {
    this.#running = true
    for (let entry = this.#queue.shift(); entry !== undefined; entry = this.#queue.shift()) {
      await this.#runOne(entry)
      if (this.#group.length >= groupMax || (this.#group.length > 0 && performance.now() - this.#begunAt > groupMs)) {
        this.#commit()
        // Answers are sent and reads get their turn, however long the queue is.
        if (this.#queue.length > 0) await nextTurn()
      }
    }
    this.#running = false
    if (this.#group.length > 0) this.#scheduleCommit()
  }

  async #runOne(entry: Entry): Promise<void> {
    const state = new TransactionState()
    const portions = new SqlitePortions()
    try {
      if (this.#mustRollBack) this.#rollBack()
      if (!this.#connection.driver.inTransaction) await this.#begin(entry.since)
      this.#connection.run('savepoint request', [])
      const value = await entry.work(state, portions)
      await portions.end()
      state.assertSound()
      this.#connection.run('release request', [])
      this.#group.push({ entry, outcome: { status: 'fulfilled', value } })
    } catch (error) {
      portions.cancel()
      this.#undo(error)
      if (this.#group.length === 0) entry.reject(error)
      else this.#group.push({ entry, outcome: { status: 'rejected', reason: error } })
    } finally {
      state.end()
    }
  }

  /** Waits for the lock without blocking the event loop, as SQLite's own waiting would. */
  async #begin(since: number): Promise<void> {
    for (;;) {
      try {
        this.#connection.run('begin immediate', [])
        this.#begunAt = performance.now()
        return
      } catch (error) {
        if (!isBusy(error)) throw error
        // Measured from the request's arrival, so that the requests behind it do not each wait the whole time again.
        if (performance.now() - since > lockWaitMaxMs) {
          throw new DatabaseOverloaded(`Another process has locked the database for ${lockWaitMaxMs} ms`, {
            cause: error,
          })
        }
      }
      await sleep(lockPollMs)
    }
  }

  /** Rolls back what the request did. An error such as a full disk has already ended the transaction. */
  #undo(error: unknown): void {
    if (!this.#connection.driver.inTransaction) {
      this.#rejectGroup(
        error instanceof DatabaseUnavailable
          ? error
          : new Error('The transaction of the whole group was rolled back', { cause: error }),
      )
      return
    }
    try {
      this.#connection.run('rollback to request', [])
      this.#connection.run('release request', [])
      if (this.#group.length === 0) this.#connection.run('rollback', [])
    } catch (undoError) {
      this.#abandon(undoError)
    }
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
      this.#abandon(error)
      return
    }
    const group = this.#group
    this.#group = []
    this.#commits++
    for (const { entry, outcome } of group) {
      if (outcome.status === 'rejected') entry.reject(outcome.reason)
      else {
        this.#committed++
        entry.resolve(outcome.value)
      }
    }
    this.#afterCommit()
  }

  /** Abandons the whole transaction; the next request begins a new one. */
  #abandon(error: unknown): void {
    this.#mustRollBack = true
    try {
      this.#rollBack()
    } catch {
      // The next request tries again before it begins: refused changes must not be committed with its own.
    }
    this.#rejectGroup(error)
  }

  #rollBack(): void {
    if (this.#connection.driver.inTransaction) this.#connection.run('rollback', [])
    this.#mustRollBack = false
  }

  #rejectGroup(error: unknown): void {
    const group = this.#group
    this.#group = []
    for (const { entry } of group) entry.reject(error)
  }
}
