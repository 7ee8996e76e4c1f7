import { readSync } from 'node:fs'

const logHeaderBytes = 32
const frameHeaderBytes = 24

/** Reads big-endian numbers of a file (sqlite.org/fileformat2.html#walformat). */
export function readAt(file: number, position: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  return buffer.subarray(0, readSync(file, buffer, 0, bytes, position))
}

/** The committed pages of a write-ahead log. */
export type LogPages = {
  readonly pageBytes: number
  /** The position of the newest version of each page. */
  readonly offsets: ReadonlyMap<number, number>
  /** Pages that the log has, each version counted. */
  readonly frames: number
}

/** Where the newest committed version of each page is in a write-ahead log; undefined where it holds no commit. */
export function committedPages(log: number): LogPages | undefined {
  const header = readAt(log, 0, logHeaderBytes)
  if (header.length < logHeaderBytes) return undefined
  const pageBytes = header.readUInt32BE(8)
  const salts = header.subarray(16, 24)
  const offsets = new Map<number, number>()
  const open = new Map<number, number>()
  let frames = 0
  for (let at = logHeaderBytes; ; at += frameHeaderBytes + pageBytes) {
    const frame = readAt(log, at, frameHeaderBytes)
    // The following pages are from before the log was restarted.
    if (frame.length < frameHeaderBytes || !frame.subarray(8, 16).equals(salts)) break
    frames++
    open.set(frame.readUInt32BE(0), at + frameHeaderBytes)
    if (frame.readUInt32BE(4) === 0) continue
    for (const [page, offset] of open) offsets.set(page, offset)
    open.clear()
  }
  return offsets.size === 0 ? undefined : { pageBytes, offsets, frames }
}
