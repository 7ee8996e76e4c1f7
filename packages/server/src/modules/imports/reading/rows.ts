import { readCsv } from './csv.ts'
import { decode } from './decode.ts'
import { cellsOf, readNdjson } from './ndjson.ts'
import type { FileShape } from './shape.ts'
import type { SourceRow } from './source-row.ts'
import { readCardRows } from './vcard/rows.ts'
import { readSheetLines } from './xlsx/lines.ts'

/** Some bytes of a file, from the end of a row on. */
export type FileWindow = {
  readonly bytes: Uint8Array
  /** They go on to the end of the file. */
  readonly isLast: boolean
  readonly shape: FileShape
  /** Lines of the file before them. */
  readonly line: number
}

/** Reads the rows of a window that are whole. */
export async function readRows({ bytes: given, isLast, shape, line }: FileWindow): Promise<SourceRow[]> {
  const { format, encoding, delimiter, header } = shape
  const bytes = Buffer.from(given)
  if (format === 'xlsx') return readSheetLines(bytes, isLast)
  const part = { text: decode(bytes, encoding, isLast), isLast, encoding, line }
  if (format === 'vcard') return readCardRows(part)
  if (delimiter !== null) return readCsv({ ...part, delimiter })
  return readNdjson(part).map(({ text, ...row }) =>
    'members' in row ? { ...row, cells: cellsOf(row.members, header) } : { ...row, cells: [text] },
  )
}
