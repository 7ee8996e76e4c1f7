import { existsSync, statSync, utimesSync } from 'node:fs'
import Driver from 'better-sqlite3'
import { isBusy, type SqliteConnection } from './sqlite-connection.ts'
import { DatabaseRefused } from './errors.ts'
import { findUnwritable } from './sqlite-read-only.ts'
import { memberOf, numberOf } from '../lib/guards.ts'
import type { ReaderPool } from './readers/pool.ts'

/** The interval in which a server says, by the time of its lock file, that it is alive. */
const signEveryMs = 1000

/** The time that a copy of pages may take, which goes on when the server is killed. */
const copyMsMax = 5000

const lockOf = (path: string): string => `${path}-lock`

/** A SQLite file that one server has taken. */
export type FileLock = {
  /** True once the file has been replaced or deleted: what is written then goes nowhere. */
  readonly isReplaced: () => boolean
  /** Called before pages of the log are copied into the file, and afterwards. */
  readonly announce: (isCopying: boolean) => void
  readonly release: () => void
}

/**
 * Takes a SQLite file for one server, until the process ends: the lock is one of the system, so nothing is left behind
 * by a kill. Commands of an operator take none and may work beside a server. Undefined in a folder that cannot be
 * written, where no server changes the database.
 */
export function lockSqliteFile(path: string, nowMs: () => number): FileLock | undefined {
  const file = lockOf(path)
  if (findUnwritable(file) !== undefined) return undefined
  const lock = takeLock(file)
  if (lock === undefined)
    throw new DatabaseRefused(
      `Another server is running on ${path}. Stop it first, or give this one a DATABASE_URL of its own. Several ` +
        'servers on one database need Postgres.',
    )
  const taken = inodeOf(path)
  let isReplaced = false
  let isCopying = false
  const sign = (): void => {
    isReplaced ||= inodeOf(path) !== taken
    touch(file, nowMs() + (isCopying ? copyMsMax : 0))
  }
  sign()
  const signing = setInterval(sign, signEveryMs).unref()
  return {
    isReplaced: () => isReplaced,
    announce(isBeginning) {
      isCopying = isBeginning
      // From here on the log is newer than the file again.
      if (!isCopying) touch(`${path}-wal`, nowMs())
      sign()
    },
    release() {
      clearInterval(signing)
      sign()
      lock.close()
    },
  }
}

/** Locks a file for this process; undefined where another one has it. */
function takeLock(file: string): Driver.Database | undefined {
  const lock = new Driver(file, { timeout: 0 })
  try {
    lock.exec('begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

/** Returns whether a server has a SQLite file; false where its lock cannot be written. */
export function isServed(path: string): boolean {
  const file = lockOf(path)
  if (!existsSync(file) || findUnwritable(file) !== undefined) return false
  const lock = takeLock(file)
  lock?.close()
  return lock === undefined
}

/** Throws `DatabaseRefused` while a server has a SQLite file: its tables must not change under it. */
export function requireUnserved(path: string): void {
  if (isServed(path))
    throw new DatabaseRefused(`A server is running on ${path}. Stop it, then migrate; nothing was changed.`)
}

/** Names a file on its disk; undefined where there is none. */
const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino

/** Sets the time of a file, if it exists. Not by opening it: closing it again would release the lock. */
function touch(file: string, ms: number): void {
  const time = new Date(ms)
  if (existsSync(file)) utimesSync(file, time, time)
}

/** A server signs its lock file this long after it has made it, at least: a younger one is a copy, and says nothing. */
const copiedMs = 50

/** When the last server on a file was alive; undefined where that is not known, as in a copy of the whole folder. */
export function lastAliveMs(path: string): number | undefined {
  const lock = statSync(lockOf(path), { throwIfNoEntry: false })
  return lock === undefined || lock.mtimeMs < lock.birthtimeMs + copiedMs ? undefined : lock.mtimeMs
}

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
