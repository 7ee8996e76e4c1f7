import type { ImportEncoding, ImportFormat } from '@kontor/contract'
import { detectDelimiter, namedDelimiter, readCsv } from './csv.ts'
import { bytesIn, decode, detectEncoding } from './decode.ts'
import { FileFault } from './file-fault.ts'
import { readNdjson } from './ndjson.ts'

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
}

/** The beginning of a file, and what its sender says of it. */
export type FileBeginning = {
  readonly bytes: Uint8Array
  readonly isWhole: boolean
  readonly format: ImportFormat
  readonly delimiter?: string | undefined
  readonly encoding?: ImportEncoding | undefined
}

/** Finds the shape of a file by its beginning. */
export async function findShape({ bytes: given, isWhole, ...said }: FileBeginning): Promise<FileShape> {
  const bytes = Buffer.from(given)
  const { encoding, markBytes } = detectEncoding(bytes, said.encoding)
  const text = decode(bytes.subarray(markBytes), encoding, isWhole)
  if (text.trim() === '') throw new FileFault('The file is empty.')
  if (said.format === 'csv') return csvShape(text, { encoding, markBytes, isWhole, delimiter: said.delimiter })
  const rows = readNdjson({ text, isLast: isWhole, encoding, line: 0 })
  const header = new Set(rows.flatMap((row) => ('members' in row ? Object.keys(row.members) : [])))
  if (header.size === 0) throw new FileFault('The first lines of the file are not JSON objects, one for each line.')
  return { format: 'ndjson', encoding, delimiter: null, header: [...header], start: markBytes, line: 0 }
}

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
  const header = first.cells
  const twice = header.filter((name, index) => name !== '' && header.indexOf(name) !== index)
  if (twice.length > 0) {
    const names = twice.map((name) => `"${name}"`).join(', ')
    throw new FileFault(`The first line names ${names} twice; give each column a name of its own.`)
  }
  const start = markBytes + bytesIn(preface, encoding) + first.end
  return { format: 'csv', encoding, delimiter, header, start, line: first.line }
}
