import { z } from 'zod'
import { filterTree } from './filters.ts'
import { fieldsQuery, includeQuery } from './includes.ts'
import { listSql } from './list.ts'
import { sortColumn, sortList } from './paging.ts'
import { objectName } from './record.ts'
import { searchText } from './search.ts'
import { id, timestamp } from './shared.ts'

export const exportStates = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const

export type ExportState = (typeof exportStates)[number]

export const exportKinds = ['records', 'list', 'sql', 'workspace'] as const

export type ExportKind = (typeof exportKinds)[number]

export const exportFormats = ['csv', 'ndjson', 'xlsx', 'parquet'] as const

export type ExportFormat = (typeof exportFormats)[number]

/** Most rows of the result of a SELECT that are exported. */
export const exportedSqlRowsMax = 100_000

/** The members of a body that choose and order the records of a file, and its columns. */
export const exportedRecords = {
  filter: filterTree.optional(),
  sort: z.union([sortColumn, sortList]).optional(),
  fields: z
    .union([fieldsQuery.fields.unwrap(), z.array(z.string().min(1).max(200)).max(500)])
    .optional()
    .meta({ description: 'The attributes to export, by object; an array applies to the exported object.' }),
  ...includeQuery,
}

/** The body that starts an export. */
export const exportBody = z
  .strictObject({
    kind: z.enum(exportKinds).meta({
      description:
        'The content of the file. `records`: the records of an object. `list`: those of a list. `sql`: the result of ' +
        'a SELECT. `workspace`: a bundle of everything in the workspace, which `kontor workspace restore` restores; ' +
        'only admins may, with a credential without scopes.',
      example: 'records',
    }),
    format: z
      .enum(exportFormats)
      .optional()
      .meta({ description: 'By default `csv`. A bundle is a zip archive, and has no other format.' }),
    object: objectName.optional(),
    list: id.optional().meta({ description: 'For `list`: the list.' }),
    ...exportedRecords,
    search: searchText.optional(),
    sql: listSql.optional().meta({
      description: `For \`sql\`: the SELECT, as for POST …/sql, with up to ${exportedSqlRowsMax} rows.`,
      example: 'SELECT stage, count(*) AS deals FROM deal GROUP BY stage',
    }),
  })
  .meta({ id: 'ExportBody' })

export type ExportBody = z.output<typeof exportBody>

export const exportResource = z
  .object({
    type: z.literal('export'),
    id: id.meta({ description: 'Also the id of its async task.' }),
    attributes: z.object({
      _id: id,
      kind: z.enum(exportKinds),
      format: z.enum([...exportFormats, 'zip']),
      file_name: z.string().meta({ example: 'person-2026-01-31.csv' }),
      state: z.enum(exportStates),
      rows_done: z.int().meta({ description: 'Rows and files that have been written.' }),
      size_bytes: z.int().nullable().meta({ description: 'Bytes of the file; null until it is complete.' }),
      error: z.string().nullable().meta({ description: 'Why it failed.', example: null }),
      _created_at: timestamp,
      _created_by: id,
      started_at: timestamp.nullable(),
      ended_at: timestamp.nullable(),
      expires_at: timestamp.nullable().meta({ description: 'When the file is deleted; null until it is complete.' }),
    }),
  })
  .meta({ id: 'Export', description: 'A file that the server writes. Kept for 7 days.' })

export type ExportResource = z.infer<typeof exportResource>
