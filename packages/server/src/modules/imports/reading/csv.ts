import type { ImportEncoding } from '@kontor/contract'
import { bytesIn } from './decode.ts'
import { FileFault } from './file-fault.ts'

/** A row of a file: the line that it ends on, and the bytes before its end, both from the beginning of the part. */
export type CsvRow = {
  readonly line: number
  readonly end: number
  readonly cells: readonly string[]
  readonly fault?: string
}

type Part = {
  readonly text: string
  readonly isLast: boolean
  readonly encoding: ImportEncoding
  readonly delimiter: string
  /** Lines of the file before the part. */
  readonly line: number
}

/** A cell, and the position after it: of a delimiter, of a line end, or of the end of the text. */
type ScannedCell = {
  readonly value: string
  readonly until: number
  readonly isQuoted: boolean
  readonly fault?: string
}

/** The cells of a row, and the position after its line end. */
type ScannedRow = { readonly cells: readonly string[]; readonly until: number; readonly fault?: string }

/** The text ends inside of quotes. */
const open = 'open'

/**
 * Reads the rows of a part of a file that are whole. RFC 4180 does not define a quote inside a cell without quotes:
 * other programs write it for inches and nicknames, and it is read as it is written. Text after a closing quote has no
 * such meaning, and its row has a fault.
 */
export function readCsv({ text, isLast, encoding, delimiter, line: before }: Part): CsvRow[] {
  const rows: CsvRow[] = []
  let [from, end, line] = [0, 0, before]
  while (from < text.length) {
    const row = scanRow(text, from, delimiter)
    if (row === open && isLast)
      throw new FileFault(`The file is not valid CSV, line ${line + 1}: a quote is opened and never closed.`)
    // Its end may follow in the next part: the rest of its line, a second quote, or the `\n` of `\r\n`.
    if (row === open || (row.until === text.length && !isLast && text[row.until - 1] !== '\n')) break
    const { until, ...rest } = row
    const source = text.slice(from, until)
    from = until
    end += bytesIn(source, encoding)
    line += linesOf(source)
    if (rest.cells.length > 0) rows.push({ line, end, ...rest })
  }
  return rows
}

/** Counts lines; only the last one may have no end. */
const linesOf = (text: string): number => (text.match(/\r\n|\n|\r/g)?.length ?? 0) + (/[\r\n]$/.test(text) ? 0 : 1)

/** Reads the cells of a row; none of an empty line. */
function scanRow(text: string, from: number, delimiter: string): ScannedRow | typeof open {
  const cells: string[] = []
  let [at, fault]: [number, string | undefined] = [from, undefined]
  for (;;) {
    const cell = scanCell(text, at, delimiter)
    if (cell === open) return open
    cells.push(cell.value)
    fault ??= cell.fault
    at = cell.until
    if (text[at] === delimiter) at++
    else {
      const isEmpty = cells.length === 1 && cell.value === '' && !cell.isQuoted
      const until = at + (text.startsWith('\r\n', at) ? 2 : at < text.length ? 1 : 0)
      return { cells: isEmpty ? [] : cells, until, ...(fault !== undefined && { fault }) }
    }
  }
}

function scanCell(text: string, from: number, delimiter: string): ScannedCell | typeof open {
  const start = afterSpace(text, from, delimiter)
  if (text[start] === '"') return scanQuoted(text, start, delimiter)
  const until = plainEnd(text, start, delimiter)
  return { value: trimmed(text.slice(start, until)), until, isQuoted: false }
}

const closedEarly = 'Text follows a closing quote; write a quote inside a quoted cell twice ("").'

function scanQuoted(text: string, start: number, delimiter: string): ScannedCell | typeof open {
  let close = text.indexOf('"', start + 1)
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2)
  if (close === -1) return open
  const until = plainEnd(text, close + 1, delimiter)
  const isClean = afterSpace(text, close + 1, delimiter) === until
  return isClean
    ? { value: text.slice(start + 1, close).replaceAll('""', '"'), until, isQuoted: true }
    : { value: trimmed(text.slice(start, until)), until, isQuoted: true, fault: closedEarly }
}

/** Finds the delimiter or the line end that follows. */
function plainEnd(text: string, from: number, delimiter: string): number {
  let at = from
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at++
  return at
}

const isSpace = (character: string | undefined): boolean =>
  character === ' ' || character === '\t' || character === '\f'

function afterSpace(text: string, from: number, delimiter: string): number {
  let at = from
  while (isSpace(text[at]) && text[at] !== delimiter) at++
  return at
}

function trimmed(text: string): string {
  let end = text.length
  while (isSpace(text[end - 1])) end--
  return text.slice(0, end)
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
