import type { ByteWriter, ColumnSource } from 'hyparquet-writer'
import type { CellType } from '@kontor/contract'
import type { ExportedRow, ExportedTable } from '../table.ts'

/** Rows of a row group: some milliseconds of encoding, between which requests have their turn. */
const groupRows = 1000

const types = {
  text: 'STRING',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'STRING',
  timestamp: 'TIMESTAMP',
} as const satisfies Readonly<Record<CellType, ColumnSource['type']>>

/** Writes Parquet, one row group after another, so that memory does not grow with the rows. */
export async function* parquetOf({ columns, rows }: ExportedTable): AsyncGenerator<Uint8Array> {
  // Loaded when a file is written: servers and commands start without its 50 files.
  const hyparquet = await import('hyparquet-writer')
  const writer = new hyparquet.ByteWriter()
  const dataOf = (group: readonly ExportedRow[]): ColumnSource[] =>
    columns.map(({ name, type }, at) => ({
      name,
      type: types[type],
      nullable: true,
      offsetIndex: false,
      data: group.map(({ cells }) => valueOf(type, cells[at])),
    }))
  const schema = hyparquet.schemaFromColumnData({ columnData: dataOf([]) })
  const parquet = new hyparquet.ParquetWriter({ writer, schema })
  for await (const group of groupsOf(rows)) {
    await parquet.write({ columnData: dataOf(group), rowGroupSize: groupRows })
    yield taken(writer)
  }
  await parquet.finish()
  yield taken(writer)
}

/** Takes the bytes out of the writer, which counts on. */
function taken(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice()
  writer.index = 0
  return bytes
}

async function* groupsOf(rows: AsyncIterable<readonly ExportedRow[]>): AsyncGenerator<ExportedRow[]> {
  let group: ExportedRow[] = []
  for await (const portion of rows)
    for (const row of portion) {
      group.push(row)
      if (group.length < groupRows) continue
      yield group
      group = []
    }
  if (group.length > 0) yield group
}

/** A cell as a value of its column; lists and objects are JSON. */
function valueOf(type: CellType, cell: unknown): unknown {
  if (cell === null || cell === undefined) return null
  if (type === 'number') return typeof cell === 'number' ? cell : null
  if (type === 'boolean') return typeof cell === 'boolean' ? cell : null
  if (type === 'timestamp') return typeof cell === 'string' ? new Date(cell) : null
  return typeof cell === 'string' ? cell : JSON.stringify(cell)
}
