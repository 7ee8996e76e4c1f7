import { csvLines } from '../../../lib/csv-lines.ts'
import type { ExportedTable } from '../table.ts'

/** Writes a header line, and a line for each row; spreadsheets find no formula in it. */
export async function* csvOf({ columns, rows }: ExportedTable): AsyncGenerator<Buffer> {
  yield Buffer.from(csvLines([columns.map(({ name }) => name)]))
  for await (const portion of rows) yield Buffer.from(csvLines(portion.map(({ cells }) => cells)))
}
