import { stringify } from 'csv-stringify/sync'
import type { ReadTx } from '../../../db/tx.ts'
import type { Chunks } from '../../../kernel/implement.ts'
import type { ImportRow } from '../store.ts'
import type { Cell } from '../reading/cell.ts'
import { eachReject, type RejectRow } from './store.ts'

/** Columns that name the line of a rejected row and why; an import of the file itself ignores them. */
const added = ['_line', '_reason'] as const

type Rejects = {
  readonly header: readonly string[]
  readonly rowOf: (reject: RejectRow) => readonly Cell[]
}

/** Returns the columns of a file of rejected rows: those of the import, and why each row is there. */
export function rejectColumns({ shape: { header } }: Pick<ImportRow, 'shape'>): Rejects {
  const kept = [...header.keys()].filter((index) => !added.some((name) => name === header[index]))
  return {
    header: [...kept.map((index) => header[index] ?? ''), ...added],
    rowOf: ({ line, cells, reason }) => [...kept.map((index) => cells[index] ?? ''), line, reason],
  }
}

/** The rejected rows of an import as the file that they come from, read while it is sent. */
export async function* rejectsFile(tx: ReadTx, workspaceId: string, row: ImportRow): Chunks<string> {
  const delimiter = row.shape.delimiter ?? ','
  const { header, rowOf } = rejectColumns(row)
  yield [linesOf([header], delimiter)]
  for await (const rejects of eachReject(tx, { workspaceId, importId: row.id }))
    yield [linesOf(rejects.map(rowOf), delimiter)]
  return {}
}

/** The cells as they were read: line ends and white space at the ends of a cell need quotes to be read again. */
const linesOf = (rows: readonly (readonly Cell[])[], delimiter: string): string =>
  stringify(
    rows.map((cells) => cells.map(String)),
    {
      delimiter,
      record_delimiter: '\r\n',
      quoted_match: /[\r\n]|^\s|\s$/,
    },
  )
