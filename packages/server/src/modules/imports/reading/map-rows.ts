import type { Mapped } from '@kontor/contract/cells'
import { mapMembers } from '../members.ts'
import { compileRows, type RowMapping } from '../rows-mapping.ts'
import { cellText, type Cell } from './cell.ts'
import type { SourceRow } from './source-row.ts'

/** A row as it is written, or rejected. Its cells are what is kept of a rejected one: those of the file. */
export type ReadRow = Pick<SourceRow, 'line' | 'end' | 'cells'> & (Mapped | { readonly reason: string })

/** Maps the rows of a file with a header. */
export function mapRows(rows: readonly SourceRow[], header: readonly string[], given: RowMapping): ReadRow[] {
  const { schema, maps, matchOn, notation } = given
  const mapping = rows.some(({ members }) => members !== undefined) ? undefined : compileRows(given, header)
  const texts = (cells: readonly Cell[]) => cells.map((cell) => cellText(cell, notation.decimal))
  return rows.map(({ line, end, cells, members, source, fault }): ReadRow => {
    const row = { line, end, cells: source === undefined ? cells : [...cells, source] }
    if (fault !== undefined) return { ...row, reason: fault }
    const mapped =
      members === undefined
        ? (mapping?.map(texts(cells)) ?? { faults: ['The line is not a JSON object.'] })
        : { linked: {}, ...mapMembers(maps, members, { schema, matchOn }) }
    return 'faults' in mapped ? { ...row, reason: mapped.faults.join(' ') } : { ...row, ...mapped }
  })
}
