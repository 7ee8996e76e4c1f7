import type { Readable } from 'node:stream'
import type { CellType, TaskErrorCode } from '@kontor/contract'

type ExportedColumn = { readonly name: string; readonly type: CellType }

/** A row as cells in the order of the columns, and as an object for formats that have such. */
export type ExportedRow = {
  readonly cells: readonly unknown[]
  readonly members: Readonly<Record<string, unknown>>
}

/** Rows that are exported, read portion by portion while they are written. */
export type ExportedTable = {
  readonly columns: readonly ExportedColumn[]
  readonly rows: AsyncIterable<readonly ExportedRow[]>
}

/** Writes a table in a format, while its bytes are stored; returns their number. */
export type WriteTable = (table: ExportedTable, store: (bytes: Readable) => Promise<number>) => Promise<number>

/** A table that cannot be written, and why, in words for people. Another attempt would not help. */
export class TableFault extends Error {
  override readonly name = 'TableFault'
  readonly code: TaskErrorCode

  constructor(message: string, code: TaskErrorCode = 'validation_failed') {
    super(message)
    this.code = code
  }
}
