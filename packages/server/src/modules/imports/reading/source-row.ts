import type { Cell } from './cell.ts'

/** A row of a file, whatever its format. */
export type SourceRow = {
  readonly line: number
  /** Bytes from the beginning of the window to the end of the row. */
  readonly end: number
  readonly cells: readonly Cell[]
  /** The object that a line of NDJSON is. */
  readonly members?: Readonly<Record<string, unknown>>
  /** The row as it is written in the file, where its cells do not show that. */
  readonly source?: string
  readonly fault?: string
}
