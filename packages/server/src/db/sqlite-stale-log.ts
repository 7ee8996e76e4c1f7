import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseRefused } from './errors.ts'
import { lastAliveMs } from './sqlite-database.ts'

/** A server says every second that it is alive; a reader process may end a copy of pages a little later. */
const slackMs = 5000

const logHeaderBytes = 32
const frameHeaderBytes = 24

/** Reads big-endian numbers of a file (sqlite.org/fileformat2.html#walformat). */
function readAt(file: number, position: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  return buffer.subarray(0, readSync(file, buffer, 0, bytes, position))
}

type Log = { readonly pageBytes: number; readonly offsets: ReadonlyMap<number, number> }

/** Where the newest committed version of each page is in a write-ahead log; undefined where it holds no commit. */
function committedPages(log: number): Log | undefined {
  const header = readAt(log, 0, logHeaderBytes)
  if (header.length < logHeaderBytes) return undefined
  const pageBytes = header.readUInt32BE(8)
  const salts = header.subarray(16, 24)
  const offsets = new Map<number, number>()
  const open = new Map<number, number>()
  for (let at = logHeaderBytes; ; at += frameHeaderBytes + pageBytes) {
    const frame = readAt(log, at, frameHeaderBytes)
    // What follows is left from before the log began again.
    if (frame.length < frameHeaderBytes || !frame.subarray(8, 16).equals(salts)) break
    open.set(frame.readUInt32BE(0), at + frameHeaderBytes)
    if (frame.readUInt32BE(4) === 0) continue
    for (const [page, offset] of open) offsets.set(page, offset)
    open.clear()
  }
  return offsets.size === 0 ? undefined : { pageBytes, offsets }
}

/** Returns whether the file has every page as the log has it: then the log adds nothing to it. */
function isContained(path: string): boolean {
  const [file, log] = [openSync(path, 'r'), openSync(`${path}-wal`, 'r')]
  try {
    const pages = committedPages(log)
    if (pages === undefined) return true
    const { pageBytes, offsets } = pages
    return [...offsets].every(([page, offset]) =>
      readAt(file, (page - 1) * pageBytes, pageBytes).equals(readAt(log, offset, pageBytes)),
    )
  } finally {
    closeSync(file)
    closeSync(log)
  }
}

/**
 * Refuses a SQLite file beside which the log of another one lies: a backup that was copied over a database whose server
 * had been killed. SQLite would write the pages of the log into the backup, and so restore nothing or destroy it. A log
 * belongs to a file that has not changed since the last server was alive (docs/decisions/0282).
 */
export function refuseForeignLog(path: string): void {
  const [file, log] = [path, `${path}-wal`].map((one) => statSync(one, { throwIfNoEntry: false }))
  const aliveMs = lastAliveMs(path)
  if (file === undefined || log === undefined || aliveMs === undefined) return
  const isReplaced = file.ctimeMs > log.ctimeMs && file.ctimeMs > aliveMs + slackMs
  if (!isReplaced || isContained(path)) return
  throw new DatabaseRefused(
    `${path} was replaced after its last server had ended, and ${path}-wal belongs to the file before. If you have ` +
      `restored a backup, delete ${path}-wal and ${path}-shm, then start again. If the two belong together, run: ` +
      `touch ${path}-wal`,
  )
}
