import { existsSync, statSync, utimesSync } from 'node:fs'
import Driver from 'better-sqlite3'
import { isBusy } from './sqlite-connection.ts'
import { DatabaseRefused } from './errors.ts'
import { findUnwritable } from './sqlite-read-only.ts'

/** How often a server says, by the time of its lock file, that it is alive. */
const signEveryMs = 1000

const lockOf = (path: string): string => `${path}-lock`

/**
 * Takes a SQLite file for one server, until the process ends: the lock is one of the system, so nothing is left behind
 * by a kill. Commands of an operator take none and may work beside a server. Returns how to release it.
 */
export function lockSqliteFile(path: string, nowMs: () => number): () => void {
  const file = lockOf(path)
  // In a folder that cannot be written, no server changes the database.
  if (findUnwritable(file) !== undefined) return () => undefined
  const lock = new Driver(file, { timeout: 0 })
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw error
    throw new DatabaseRefused(
      `Another server is running on ${path}. Stop it first, or give this one a DATABASE_URL of its own. Several ` +
        `servers on ` +
        'one database need Postgres.',
    )
  }
  const sign = (): void => {
    const now = new Date(nowMs())
    // Not by opening it: closing it again would release the lock.
    if (existsSync(file)) utimesSync(file, now, now)
  }
  sign()
  const signing = setInterval(sign, signEveryMs).unref()
  return () => {
    clearInterval(signing)
    sign()
    lock.close()
  }
}

/** When the last server on a file was alive; undefined where that is not known. */
export function lastAliveMs(path: string): number | undefined {
  return statSync(lockOf(path), { throwIfNoEntry: false })?.mtimeMs
}
