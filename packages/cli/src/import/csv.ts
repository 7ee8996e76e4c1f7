import { createReadStream } from 'node:fs'
import { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { CommandFailed } from '../errors.ts'

/** A row of the file and the line that it ends on. */
export type CsvRow = { readonly line: number; readonly cells: readonly string[] }

export type CsvFile = { readonly path: string; readonly delimiter: string }

/** Reads a CSV file row by row, header included, in flat memory. Throws CommandFailed where it is malformed. */
export async function* readRows({ path, delimiter }: CsvFile): AsyncGenerator<CsvRow, void, undefined> {
  const parser = parse({
    delimiter,
    info: true,
    // By itself the parser takes the first line end that it meets for the only one.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    // Of cells without quotes; what is in quotes stands there as it is meant.
    trim: true,
  })
  // The pipeline's own failure reaches the loop below through the parser.
  const piped = pipeline(createReadStream(path), decodeUtf8(), parser).catch((error: unknown) =>
    parser.destroy(error as Error),
  )
  try {
    for await (const row of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      yield { line: row.info.lines, cells: row.record }
    }
  } catch (error) {
    throw error instanceof CsvError ? malformed(error) : error
  } finally {
    parser.destroy()
    await piped
  }
}

const reasons: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE: 'something follows a closing quote; a quote inside a quoted cell is written twice ("")',
  INVALID_OPENING_QUOTE:
    'a quote is inside a cell that does not start with one; put the whole cell in quotes and write it twice ("")',
  CSV_MAX_RECORD_SIZE: 'a row is too long',
}

function malformed({ code, message, ...details }: CsvError): CommandFailed {
  const { lines } = details as { lines?: number }
  return new CommandFailed(
    `The file is not valid CSV${lines === undefined ? '' : `, line ${lines}`}: ${reasons[code] ?? message}.`,
  )
}

/** Decodes strictly: text in another encoding would otherwise arrive with its accents broken. */
function decodeUtf8(): Duplex {
  // Also drops a byte order mark.
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Buffer): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
    } catch {
      throw new CommandFailed(
        'The file is not UTF-8. Convert it first, for example: iconv -f WINDOWS-1252 -t UTF-8 old.csv > new.csv',
      )
    }
  }
  return Duplex.from(async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) yield decode(chunk)
    yield decode()
  })
}

export type Survey = { readonly header: readonly string[]; readonly rows: number }

/** Reads the whole file once, so that nothing is sent of a file that is broken further down. */
export async function survey(file: CsvFile): Promise<Survey> {
  let header: readonly string[] | undefined
  let rows = 0
  for await (const { cells } of readRows(file)) {
    if (header === undefined) header = cells
    else rows++
  }
  if (header === undefined) throw new CommandFailed('The file is empty; its first line must name the columns.')
  const twice = header.filter((name, index) => name !== '' && header?.indexOf(name) !== index)
  if (twice.length > 0)
    throw new CommandFailed(
      `The first line names ${twice.map((name) => `"${name}"`).join(', ')} twice; give each column a name of its own.`,
    )
  return { header, rows }
}
