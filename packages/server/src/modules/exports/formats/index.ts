import { Readable } from 'node:stream'
import type { ExportFormat } from '@kontor/contract'
import { csvLines } from '../../../lib/csv-lines.ts'
import type { ExportedTable, WriteTable } from '../table.ts'
import { parquetOf } from './parquet.ts'
import { writeXlsx } from './xlsx.ts'

/** Writes a header line, and a line for each row; spreadsheets find no formula in it. */
async function* csvOf({ columns, rows }: ExportedTable): AsyncGenerator<Buffer> {
  yield Buffer.from(csvLines([columns.map(({ name }) => name)]))
  for await (const portion of rows) yield Buffer.from(csvLines(portion.map(({ cells }) => cells)))
}

/** Writes an object of JSON for each row, with values as answers have them. */
async function* ndjsonOf({ rows }: ExportedTable): AsyncGenerator<Buffer> {
  for await (const portion of rows)
    yield Buffer.from(portion.map(({ members }) => `${JSON.stringify(members)}\n`).join(''))
}

const streamed =
  (bytesOf: (table: ExportedTable) => AsyncIterable<Uint8Array>): WriteTable =>
  (table, store) =>
    store(Readable.from(bytesOf(table), { objectMode: false }))

/** The formats of tables. A new one is added here. */
export const formats: Readonly<Record<ExportFormat, WriteTable>> = {
  csv: streamed(csvOf),
  ndjson: streamed(ndjsonOf),
  xlsx: writeXlsx,
  parquet: streamed(parquetOf),
}
