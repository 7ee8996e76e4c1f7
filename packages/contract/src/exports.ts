import { z } from 'zod'
import { domain } from './endpoint.ts'
import { exportBody, exportResource, exportStates } from './export.ts'
import { growingList } from './paging.ts'
import { silentQuery } from './shared.ts'

const collection = '/workspaces/{workspace}/exports'
const one = `${collection}/{id}` as const

/** Columns that exports are sorted by. */
export const exportSortColumns = ['_created_at', 'ended_at'] as const

const answer = z.object({ data: exportResource }).meta({ id: 'ExportAnswer' })

const reading = { caller: 'any', scope: 'records:read' } as const

/** Exports of data as files (docs/decisions/0373, 0231). */
export const exports = domain({
  list: {
    ...reading,
    method: 'GET',
    path: collection,
    summary: 'List exports',
    description: 'Lists exports, the newest first unless sorted. Members see their own exports, admins see all.',
    ...growingList(exportResource, exportSortColumns, {
      filter: z
        .strictObject({ state: z.enum(exportStates).optional().meta({ description: 'Exports in this state.' }) })
        .optional(),
    }),
  },
  create: {
    ...reading,
    method: 'POST',
    role: 'viewer',
    path: collection,
    status: 202,
    summary: 'Export data',
    description:
      'Starts an export and returns it; `GET` on it returns its progress. The file contains only what the caller ' +
      'may read; a bundle contains one state of the workspace. An export starts again after a restart of the server.',
    query: z.strictObject(silentQuery),
    body: exportBody,
    response: answer,
    errors: ['unknown_field', 'unknown_operator', 'unknown_value', 'unsupported_sql', 'list_broken'],
    examples: { body: { kind: 'records', object: 'person', format: 'csv', fields: ['name', 'job_title'] } },
  },
  get: {
    ...reading,
    method: 'GET',
    path: one,
    summary: 'Get an export',
    description: 'Returns the state of an export. Only its creator and admins may call it.',
    response: answer,
  },
  download: {
    ...reading,
    method: 'GET',
    path: `${one}/download`,
    summary: 'Download an export',
    description:
      'Returns a download URL, which needs no credentials and is valid for an hour, or null until the export is ' +
      'completed. Only the creator of the export may call it, with the role and the scopes that it was started ' +
      'with; for a bundle, as an admin with a credential without scopes.',
    secret: true,
    response: z.object({ data: z.object({ url: z.string().nullable() }) }),
  },
  cancel: {
    ...reading,
    method: 'POST',
    role: 'viewer',
    path: `${one}/cancel`,
    status: 200,
    summary: 'Cancel an export',
    description: 'An export that has ended is returned unchanged.',
    query: z.strictObject(silentQuery),
    response: answer,
  },
})
