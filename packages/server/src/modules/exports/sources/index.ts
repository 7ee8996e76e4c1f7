import type { ExportBody, ExportKind } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { openList, openRecords } from './records.ts'
import { openSql } from './sql.ts'
import type { FieldIndexes } from '../../indexes/index.ts'
import type { ExportedTable } from '../table.ts'
import type { OpenTable, RowsToRead, SourceContext } from './source.ts'

export type { SourceContext } from './source.ts'

type TableKind = Exclude<ExportKind, 'workspace'>

/** The sources of tables, by the kind of the export. */
const sources: Readonly<Record<TableKind, OpenTable>> = {
  records: openRecords,
  list: openList,
  sql: openSql,
}

/** The members of a body beside kind and format that a kind of export takes. */
const members: Readonly<Record<ExportKind, readonly (keyof ExportBody)[]>> = {
  workspace: [],
  records: ['object', 'filter', 'search', 'sort', 'fields', 'include'],
  list: ['object', 'list', 'filter', 'search', 'sort', 'fields', 'include'],
  sql: ['sql'],
}

/** Refuses members that a kind of export, or a format, would ignore. */
function requireFittingMembers(ctx: WorkspaceReadContext, { kind, ...body }: ExportBody): void {
  const accepted = [...members[kind], ...(kind === 'workspace' ? [] : ['format'])]
  const other = Object.entries(body).find(([name, value]) => value !== undefined && !accepted.includes(name))?.[0]
  if (other !== undefined)
    throw ctx.fail('invalid_body', {
      detail: `An export of the kind "${kind}" accepts no "${other}"; it accepts: ${accepted.join(', ') || 'nothing'}.`,
      source: { pointer: `/${other}` },
    })
  if (body.format === 'ndjson' && body.include !== undefined)
    throw ctx.fail('invalid_body', {
      detail: 'A line of NDJSON has no linked records: omit `include`, or use csv, xlsx or parquet.',
      source: { pointer: '/include' },
    })
}

/** Opens the table of an export; undefined for a whole workspace, which is none. */
export async function openTable(
  ctx: SourceContext,
  indexes: FieldIndexes,
  body: ExportBody,
  wanted: RowsToRead,
): Promise<ExportedTable | undefined> {
  return body.kind === 'workspace' ? undefined : sources[body.kind](ctx, indexes, body, wanted)
}

/** Checks the request of an export by reading one row of it, so that it is refused before it starts. */
export async function checkRequest(ctx: SourceContext, indexes: FieldIndexes, body: ExportBody): Promise<void> {
  requireFittingMembers(ctx, body)
  const table = await openTable(ctx, indexes, body, 'one')
  for await (const _ of table?.rows ?? []) break
}
