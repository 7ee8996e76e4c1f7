import { compileMapping, type LinkedSchemas, type Mapped, type MappingOptions } from '@kontor/contract/cells'
import type { ObjectSchemaDocument } from '@kontor/contract'
import { mapMembers } from '../members.ts'
import type { SourceRow } from './rows.ts'

/** How the rows of a file become records. */
export type RowMapping = Omit<MappingOptions, 'maps'> & {
  readonly maps: MappingOptions['maps'] | null
  readonly schema: ObjectSchemaDocument
  readonly linked: LinkedSchemas
}

/** A row as it is written, or rejected. */
export type ReadRow = Pick<SourceRow, 'line' | 'end' | 'cells'> & (Mapped | { readonly reason: string })

/** Maps the rows of a file with a header. */
export function mapRows(
  rows: readonly SourceRow[],
  header: readonly string[],
  { schema, linked, maps, ...options }: RowMapping,
): ReadRow[] {
  const mapping = rows.some(({ members }) => members !== undefined)
    ? undefined
    : compileMapping({ ...options, maps: maps ?? [] }, header, schema, linked)
  return rows.map(({ line, end, cells, members, fault }): ReadRow => {
    const row = { line, end, cells }
    if (fault !== undefined) return { ...row, reason: fault }
    const mapped =
      members === undefined
        ? (mapping?.map(cells) ?? { faults: ['The line is not a JSON object.'] })
        : { linked: {}, ...mapMembers(maps, members, { schema, matchOn: options.matchOn }) }
    return 'faults' in mapped ? { ...row, reason: mapped.faults.join(' ') } : { ...row, ...mapped }
  })
}
