import { closeSync, existsSync, fstatSync, openSync, statSync } from 'node:fs'
import { DatabaseRefused } from './errors.ts'
import { lastAliveMs } from './sqlite-file.ts'
import { committedPages, readAt } from './sqlite-log-pages.ts'

/** Bytes of the header of a SQLite file (sqlite.org/fileformat2.html#the_database_header). */
const headerBytes = 100

/** Pages that a file has by its header; undefined where the header does not say. */
function pagesOf(header: Buffer): { readonly count: number; readonly bytes: number } | undefined {
  if (header.length < headerBytes || !header.toString('latin1').startsWith('SQLite format 3\0')) return undefined
  const bytes = header.readUInt16BE(16)
  // The count is valid if it was written with the newest change.
  return header.readUInt32BE(24) === header.readUInt32BE(92)
    ? { count: header.readUInt32BE(28), bytes: bytes === 1 ? 65_536 : bytes }
    : undefined
}

/** Pages that the log of a file has. */
function loggedPages(path: string): ReadonlySet<number> {
  if (!existsSync(`${path}-wal`)) return new Set()
  const log = openSync(`${path}-wal`, 'r')
  try {
    return new Set(committedPages(log)?.offsets.keys())
  } finally {
    closeSync(log)
  }
}

/** Returns whether the end of a file is missing, which neither the file nor its log has. */
function isCut(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const pages = pagesOf(readAt(file, 0, headerBytes))
    if (pages === undefined || fstatSync(file).size >= pages.count * pages.bytes) return false
    const logged = loggedPages(path)
    // Once more, since a server that runs on it may have made it longer.
    const from = Math.floor(fstatSync(file).size / pages.bytes) + 1
    for (let page = from; page <= pages.count; page++) if (!logged.has(page)) return true
    return false
  } finally {
    closeSync(file)
  }
}

/**
 * Refuses a SQLite file that is incomplete: an empty one on which a server has run, or one whose end is missing, such
 * as a backup whose copying broke off. SQLite would begin an empty database in the first, and notice the second when a
 * missing page is needed.
 */
export function refuseIncomplete(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  // SQLite itself says what is wrong with a folder.
  if (found?.isFile() !== true) return
  if (found.size === 0 && lastAliveMs(path) !== undefined)
    throw new DatabaseRefused(
      `${path} is empty, but a server has run on it. Restore a backup, or delete ${path} and the files beside it ` +
        'whose names begin with its name, to begin a new database.',
    )
  if (found.size > 0 && isCut(path))
    throw new DatabaseRefused(`${path} is incomplete: its end is missing. Restore a complete backup.`)
}
