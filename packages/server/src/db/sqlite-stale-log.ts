import { closeSync, openSync, statSync } from 'node:fs'
import { DatabaseRefused } from './errors.ts'
import { logPagesMax } from './sqlite-connection.ts'
import { isServed, lastAliveMs } from './sqlite-file.ts'
import { committedPages, readAt, type LogPages } from './sqlite-log-pages.ts'

/**
 * A log of so many pages is copied within a commit too, which is not announced beforehand: it may end a little later
 * than the server was last known to be alive.
 */
const unannouncedMs = 5000

/** Returns whether the file has every page as the log has it: then the log adds nothing to it. */
const isContained = (file: number, log: number, { pageBytes, offsets }: LogPages): boolean =>
  [...offsets].every(([page, offset]) =>
    readAt(file, (page - 1) * pageBytes, pageBytes).equals(readAt(log, offset, pageBytes)),
  )

/** Returns whether the log has pages that are not in the file, and that do not belong there either. */
function isForeign(path: string, changedMs: number, aliveMs: number): boolean {
  const [file, log] = [openSync(path, 'r'), openSync(`${path}-wal`, 'r')]
  try {
    const pages = committedPages(log)
    if (pages === undefined) return false
    const isLong = pages.frames >= logPagesMax
    return changedMs > aliveMs + (isLong ? unannouncedMs : 0) && !isContained(file, log, pages)
  } finally {
    closeSync(file)
    closeSync(log)
  }
}

/**
 * Refuses a SQLite file beside which the log of another one lies: a backup that was copied over a database whose server
 * had been killed. SQLite would write the pages of the log into the backup, and so restore nothing or destroy it. A log
 * belongs to a file that has not changed since the last server was alive: that one announces when it copies pages, and
 * touches the log afterwards (docs/decisions/0015). A server that is running watches its file itself: commands beside
 * it are not refused, however late it can announce what it copies.
 */
export function refuseForeignLog(path: string): void {
  const [file, log] = [path, `${path}-wal`].map((one) => statSync(one, { throwIfNoEntry: false }))
  const aliveMs = lastAliveMs(path)
  if (file === undefined || log === undefined || aliveMs === undefined) return
  if (file.ctimeMs <= log.ctimeMs || !isForeign(path, file.ctimeMs, aliveMs) || isServed(path)) return
  throw new DatabaseRefused(
    `${path} was replaced after its last server stopped, and ${path}-wal belongs to the earlier file. If you have ` +
      `restored a backup, delete ${path}-wal and ${path}-shm, then start again. If the two belong together, run: ` +
      `touch ${path}-wal`,
  )
}
