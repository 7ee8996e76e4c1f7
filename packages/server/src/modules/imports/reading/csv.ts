import { CsvError, parse } from 'csv-parse'
import type { ImportEncoding } from '@kontor/contract'
import { bytesIn } from './decode.ts'
import { FileFault } from './file-fault.ts'

/** A row of a file: the line that it ends on, and the bytes before its end, both from the beginning of the part. */
export type CsvRow = { readonly line: number; readonly end: number; readonly cells: readonly string[] }

type Part = {
  readonly text: string
  readonly isLast: boolean
  readonly encoding: ImportEncoding
  readonly delimiter: string
  /** Lines of the file before the part. */
  readonly line: number
}

type Parsed = { readonly record: string[]; readonly info: { readonly lines: number; readonly bytes: number } }

/** Reads the rows of a part of a file that are whole. */
export async function readCsv({ text, isLast, encoding, delimiter, line }: Part): Promise<CsvRow[]> {
  const parser = parse({
    delimiter,
    info: true,
    // By itself the parser takes the first line end that it meets for the only one.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // RFC 4180 does not define a quote in a cell without quotes: others write it for inches and nicknames.
    relax_quotes: true,
    skip_empty_lines: true,
    // Of cells without quotes; what is in quotes stands there as it is meant.
    trim: true,
  })
  const found: Parsed[] = []
  parser.on('data', (row: Parsed) => found.push(row))
  const bytes = Buffer.from(text)
  try {
    await new Promise<void>((resolve, reject) => {
      parser.on('error', reject)
      if (isLast) parser.on('end', resolve).end(bytes)
      else parser.write(bytes, (error) => (error ? reject(error) : setImmediate(resolve)))
    })
  } catch (error) {
    throw error instanceof CsvError ? malformed(error, line) : error
  } finally {
    parser.destroy()
  }
  return placed(found, bytes, { encoding, line })
}

/** Counts the bytes of rows as they are in the file. */
function placed(
  found: readonly Parsed[],
  bytes: Buffer,
  { encoding, line }: Pick<Part, 'encoding' | 'line'>,
): CsvRow[] {
  let [from, end] = [0, 0]
  return found.map(({ record, info }) => {
    end += encoding === 'utf-8' ? info.bytes - from : bytesIn(bytes.subarray(from, info.bytes).toString(), encoding)
    from = info.bytes
    return { line: line + info.lines, end, cells: record }
  })
}

const reasons: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE:
    'something follows a closing quote; a quote inside a quoted cell is written twice ("")',
}

function malformed({ code, message, ...details }: CsvError, before: number): FileFault {
  const { lines = 0 } = details as { lines?: number }
  return new FileFault(`The file is not valid CSV, line ${before + lines}: ${reasons[code] ?? message}.`)
}

const delimiters = [',', ';', '\t', '|']

/** The delimiter that a file names in a first line `sep=;`, as spreadsheets write it. */
export const namedDelimiter = /^"?sep=([^\r\n])"?(?:\r\n|\n|\r)/i

/** Finds the delimiter that is most frequent in the first line, outside of quotes. */
export function detectDelimiter(text: string): string {
  const [first = ''] = text.split(/[\r\n]/, 1)
  const plain = first.replaceAll(/"[^"]*"/g, '')
  const [most = ','] = delimiters.toSorted((one, other) => plain.split(other).length - plain.split(one).length)
  return most
}
