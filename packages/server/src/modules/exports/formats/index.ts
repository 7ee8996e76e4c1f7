import { Readable } from 'node:stream'
import type { ExportFormat } from '@kontor/contract'
import type { ExportedTable, WriteTable } from '../table.ts'
import { csvOf } from './csv.ts'
import { ndjsonOf } from './ndjson.ts'
import { parquetOf } from './parquet.ts'
import { writeXlsx } from './xlsx.ts'

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
