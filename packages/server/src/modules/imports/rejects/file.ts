import { stringify } from 'csv-stringify/sync'
import type { ReadTx } from '../../../db/tx.ts'
import type { Chunks } from '../../../kernel/implement.ts'
import type { ImportRow } from '../store.ts'
import { listRejectsAfter, type RejectRow } from './store.ts'

/** Rows that are read at once. */
const batchMax = 1000

/** Columns that name the line of a rejected row and why; an import of the file itself ignores them. */
const added = ['_line', '_reason'] as const

/** The rejected rows of an import as the file that they come from, read while it is sent. */
export async function* rejectsFile(tx: ReadTx, workspaceId: string, { id, shape }: ImportRow): Chunks<string> {
  const delimiter = shape.delimiter ?? ','
  const kept = [...shape.header.keys()].filter((index) => !added.some((name) => name === shape.header[index]))
  yield [linesOf([[...kept.map((index) => shape.header[index] ?? ''), ...added]], delimiter)]
  let after = 0
  for (;;) {
    const rows = await listRejectsAfter(tx, { workspaceId, importId: id }, after, batchMax)
    if (rows.length > 0) yield [linesOf(rows.map(rowOf(kept)), delimiter)]
    if (rows.length < batchMax) return {}
    after = rows.at(-1)?.line ?? 0
  }
}

const rowOf =
  (kept: readonly number[]) =>
  ({ line, cells, reason }: RejectRow) => [...kept.map((index) => cells[index] ?? ''), line, reason]

/** The cells as they were read: line ends and white space at the ends of a cell need quotes to be read again. */
const linesOf = (rows: readonly (readonly (string | number)[])[], delimiter: string): string =>
  stringify([...rows], { delimiter, record_delimiter: '\r\n', quoted_match: /[\r\n]|^\s|\s$/ })
