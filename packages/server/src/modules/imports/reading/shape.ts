import type { ImportEncoding, ImportFormat } from '@kontor/contract'
import { detectDelimiter, namedDelimiter, readCsv } from './csv.ts'
import { bytesIn, decode, detectEncoding } from './decode.ts'
import { FileFault } from './file-fault.ts'
import { distinctHeader } from './header.ts'
import { readNdjson } from './ndjson.ts'
import { readCards } from './vcard/cards.ts'
import { cardHeader } from './vcard/columns.ts'
import type { UnpackedSheet } from './xlsx/unpack.ts'

/** The form of a file: how its rows are read, and where they begin. */
export type FileShape = {
  readonly format: ImportFormat
  readonly encoding: ImportEncoding
  readonly delimiter: string | null
  /** Columns; of NDJSON the members of its first lines. */
  readonly header: readonly string[]
  /** Bytes and lines before the first row. */
  readonly start: number
  readonly line: number
  /** The sheet of a workbook, and the names of all. */
  readonly sheet?: Pick<UnpackedSheet, 'sheet' | 'sheets'>
}

/** The beginning of a file, or all of a workbook, and what its sender says of it. */
export type FileBeginning = {
  readonly bytes: Uint8Array
  readonly isWhole: boolean
  readonly format: ImportFormat
  readonly delimiter?: string | undefined
  readonly encoding?: ImportEncoding | undefined
  readonly sheet?: string | undefined
}

/** Finds the shape of a file by its beginning. */
export async function findShape({ bytes: given, isWhole, ...said }: FileBeginning): Promise<FileShape> {
  const bytes = Buffer.from(given)
  const { encoding, markBytes } = detectEncoding(bytes, said.encoding)
  const text = decode(bytes.subarray(markBytes), encoding, isWhole)
  if (text.trim() === '') throw new FileFault('The file is empty.')
  if (said.format === 'csv') return csvShape(text, { encoding, markBytes, isWhole, delimiter: said.delimiter })
  const plain = { encoding, delimiter: null, start: markBytes, line: 0 }
  if (said.format === 'vcard') {
    const { cards, isOpen } = readCards({ text, isLast: isWhole, encoding, line: 0 })
    if (cards.length === 0 && !isOpen) throw new FileFault('The file contains no vCard: BEGIN:VCARD is missing.')
    return { ...plain, format: 'vcard', header: cardHeader }
  }
  const rows = readNdjson({ text, isLast: isWhole, encoding, line: 0 })
  const header = new Set(rows.flatMap((row) => ('members' in row ? Object.keys(row.members) : [])))
  if (header.size === 0) throw new FileFault('The first lines of the file are not JSON objects, one for each line.')
  return { ...plain, format: 'ndjson', header: [...header] }
}

/** The shape of an unpacked sheet: its rows are stored without the header. */
export const sheetShape = ({ header, line, sheet, sheets }: UnpackedSheet): FileShape => ({
  format: 'xlsx',
  encoding: 'utf-8',
  delimiter: null,
  header,
  start: 0,
  line,
  sheet: { sheet, sheets },
})

type Found = Pick<FileShape, 'encoding'> & {
  readonly markBytes: number
  readonly isWhole: boolean
  readonly delimiter: string | undefined
}

async function csvShape(text: string, { encoding, markBytes, isWhole, delimiter: said }: Found): Promise<FileShape> {
  const [preface = '', named] = namedDelimiter.exec(text) ?? []
  const rest = text.slice(preface.length)
  const delimiter = said ?? named ?? detectDelimiter(rest)
  const before = preface === '' ? 0 : 1
  const [first] = await readCsv({ text: rest, isLast: isWhole, encoding, delimiter, line: before })
  if (first === undefined) throw new FileFault('The first line of the file, which names the columns, is too long.')
  const start = markBytes + bytesIn(preface, encoding) + first.end
  return { format: 'csv', encoding, delimiter, header: distinctHeader(first.cells), start, line: first.line }
}
