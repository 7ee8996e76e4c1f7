import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type Driver from 'better-sqlite3'
import { memberOf } from '../lib/guards.ts'
import { DatabaseRefused } from './errors.ts'

/** Returns whether SQLite says that a file, or what lies beside it, cannot be written. */
export const isUnwritable = (error: unknown): boolean =>
  /^SQLITE_(READONLY|CANTOPEN)/.test(String(memberOf(error, 'code')))

/** Returns what of a SQLite file cannot be written: the file or its folder; undefined if both can. */
export function findUnwritable(path: string): string | undefined {
  return [path, dirname(path)].find((one) => {
    try {
      accessSync(one, constants.W_OK)
      return false
    } catch {
      return existsSync(one)
    }
  })
}

/**
 * Refuses a file that cannot even be read: one in the mode of the write-ahead log needs a log, or a folder in which to
 * make one. A clean stop leaves that mode; a copy of a running database has it.
 */
export function refuseUnreadable(driver: Driver.Database, path: string): void {
  try {
    driver.pragma('schema_version')
  } catch (error) {
    const unwritable = findUnwritable(path)
    if (!isUnwritable(error) || !existsSync(path) || unwritable === undefined) throw error
    throw new DatabaseRefused(
      `${path} cannot be read while ${unwritable} cannot be written: it is a copy of a running database, or its ` +
        'server was killed. Copy it into a folder that can be written, and start and stop a server on it there. ' +
        'Then it can be read in a read-only folder.',
    )
  }
}
