import { buffer } from 'node:stream/consumers'
import type { Pool } from '../../pool/index.ts'
import type { FileStorage } from '../files/index.ts'
import { readWindowInPool, type WindowRows } from './read-in-pool.ts'
import type { RowMapping } from './rows-mapping.ts'
import type { ImportRow } from './store.ts'

/** Bytes that are read at once, and for rows that are longer. */
const windowBytes = [256 * 1024, 2 * 1024 * 1024] as const

/** A file that cannot be read any further. */
export class WindowFault extends Error {
  override readonly name = 'WindowFault'
}

export type WindowServices = { readonly storage: FileStorage; readonly pool: Pool }

/** The place of the bytes of a file. */
export type FilePlace = { readonly workspaceId: string; readonly id: string; readonly fileBytes: number }

/** Bytes of a file from a position on, and whether they go on to its end. */
type FileBytes = { readonly bytes: Buffer; readonly isLast: boolean }

/** Reads some bytes of a file that is kept. */
export async function readBytes(
  storage: FileStorage,
  { fileBytes, ...file }: FilePlace,
  from: number,
  max: number = windowBytes[0],
): Promise<FileBytes> {
  const bytes = Math.min(max, fileBytes - from)
  const isLast = from + bytes >= fileBytes
  if (bytes <= 0) return { bytes: Buffer.alloc(0), isLast }
  return { bytes: await buffer(await storage.read(file, { from, bytes })), isLast }
}

type Reading = {
  readonly row: ImportRow
  /** Where the window begins. */
  readonly at: Pick<ImportRow, 'position' | 'line'>
  /** Undefined: the rows are only counted. */
  readonly mapping: RowMapping | undefined
}

/** The rows of a window, and whether it is the last one. */
export type ImportWindow = WindowRows & Pick<FileBytes, 'isLast'>

/** Reads the rows of an import that follow a position. Throws a WindowFault where the file is broken. */
export async function readWindow(
  { storage, pool }: WindowServices,
  workspaceId: string,
  { row, at, mapping }: Reading,
): Promise<ImportWindow> {
  const place = { workspaceId, id: row.file_id, fileBytes: row.file_bytes }
  for (const max of windowBytes) {
    const { bytes, isLast } = await readBytes(storage, place, at.position, max)
    const window = { bytes, isLast, shape: row.shape, line: at.line }
    const read = await readWindowInPool(pool, workspaceId, { window, mapping })
    if ('fault' in read) throw new WindowFault(read.fault)
    if (isLast || read.rows > 0) return { ...read, isLast }
  }
  throw new WindowFault(`The row after line ${at.line} is longer than ${windowBytes[1]} bytes.`)
}
