import { readCsv } from './csv.ts'
import { decode } from './decode.ts'
import { cellsOf, readNdjson } from './ndjson.ts'
import type { FileShape } from './shape.ts'

/** Some bytes of a file, from the end of a row on. */
export type FileWindow = {
  readonly bytes: Uint8Array
  /** They go on to the end of the file. */
  readonly isLast: boolean
  readonly shape: FileShape
  /** Lines of the file before them. */
  readonly line: number
}

/** A row of a file, whatever its format. */
export type SourceRow = {
  readonly line: number
  /** Bytes from the beginning of the window to the end of the row. */
  readonly end: number
  readonly cells: readonly string[]
  /** The object that a line of NDJSON is. */
  readonly members?: Readonly<Record<string, unknown>>
  readonly fault?: string
}

/** Reads the rows of a window that are whole. */
export async function readRows({ bytes, isLast, shape, line }: FileWindow): Promise<SourceRow[]> {
  const { encoding, delimiter, header } = shape
  const part = { text: decode(Buffer.from(bytes), encoding, isLast), isLast, encoding, line }
  if (delimiter !== null) return readCsv({ ...part, delimiter })
  return readNdjson(part).map(({ text, ...row }) =>
    'members' in row ? { ...row, cells: cellsOf(row.members, header) } : { ...row, cells: [text] },
  )
}
