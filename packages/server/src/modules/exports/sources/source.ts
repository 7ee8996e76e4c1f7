import type { ExportBody } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import type { FieldIndexes } from '../../indexes/index.ts'
import type { ExportedTable } from '../table.ts'

/** The context in which an export is checked, and read by its job. */
export type SourceContext = WorkspaceReadContext<
  'unknown_field' | 'unknown_operator' | 'unknown_value' | 'unsupported_sql' | 'list_broken'
>

/** Rows to read: all of them, or one, by which a request is checked. */
export type RowsToRead = 'all' | 'one'

/** Opens what is exported, by the rights of the context; throws a failure for a request that is wrong. */
export type OpenTable = (
  ctx: SourceContext,
  indexes: FieldIndexes,
  body: ExportBody,
  wanted: RowsToRead,
) => Promise<ExportedTable>

/** Returns a member that a kind of export requires; 422 without it. */
export function requiredOf<K extends 'object' | 'list' | 'sql'>(
  ctx: SourceContext,
  body: ExportBody,
  name: K,
): NonNullable<ExportBody[K]> {
  const value = body[name]
  if (value !== undefined) return value
  throw ctx.fail('invalid_body', {
    detail: `An export of the kind "${body.kind}" requires "${name}".`,
    source: { pointer: `/${name}` },
  })
}
