import { z } from 'zod'
import { fileName } from './attachments.ts'
import { domain } from './endpoint.ts'
import { exampleIds } from './example-ids.ts'
import { importBody, importPreview, importPreviewBody, importResource, importStates } from './import.ts'
import { importRevert } from './import-revert.ts'
import { growingList } from './paging.ts'
import { id, silentQuery } from './shared.ts'

const collection = '/workspaces/{workspace}/imports'
const one = `${collection}/{id}` as const

/** Columns that imports are sorted by. */
export const importSortColumns = ['_created_at', 'ended_at'] as const

const answer = z.object({ data: importResource }).meta({ id: 'ImportAnswer' })

const revertAnswer = z.object({ data: importRevert }).meta({ id: 'ImportRevertAnswer' })

const reading = { caller: 'any', scope: 'records:read' } as const
const changing = { caller: 'any', scope: 'records:write' } as const

/** Imports of files (docs/decisions/0362). */
export const imports = domain({
  list: {
    ...reading,
    method: 'GET',
    path: collection,
    summary: 'List imports',
    description: 'Lists imports, the newest first unless sorted. Members see their own imports, admins see all.',
    ...growingList(importResource, importSortColumns, {
      filter: z
        .strictObject({ state: z.enum(importStates).optional().meta({ description: 'Imports in this state.' }) })
        .optional(),
    }),
  },
  upload: {
    ...changing,
    method: 'POST',
    path: `${collection}/uploads`,
    summary: 'Request an upload for an import',
    description:
      'Returns a URL. Send the bytes to it by PUT, with their `Content-Type` and without credentials, then start ' +
      'the import. One upload can be imported several times, for example first as a dry run, for a week.',
    secret: true,
    query: z.strictObject(silentQuery),
    body: z.strictObject({
      name: fileName,
      size_bytes: z
        .int()
        .min(1)
        .optional()
        .meta({ description: 'Bytes of the file. The URL then accepts exactly this many.' }),
    }),
    response: z.object({
      data: z.object({ signedUrl: z.string().meta({ description: 'Valid for an hour.' }), upload_id: id }),
    }),
    errors: ['payload_too_large'],
    examples: { body: { name: 'contacts.csv' } },
  },
  preview: {
    ...changing,
    method: 'POST',
    safe: true,
    role: 'member',
    path: `${collection}/preview`,
    summary: 'Preview an import',
    description:
      'Reads the first rows of an upload, and returns them as they would be stored, or the reason why they would be ' +
      'rejected. Without a mapping it proposes one by the names of the columns and their first texts. The order of ' +
      'dates and the character before decimals are found in the texts; where these can be read in several ways, ' +
      '`ambiguities` names the columns. Nothing is written.',
    body: importPreviewBody,
    response: z.object({ data: importPreview }).meta({ id: 'ImportPreviewAnswer' }),
    errors: ['payload_too_large'],
    examples: { body: { object: 'person', upload_id: exampleIds.importUpload } },
  },
  create: {
    ...changing,
    method: 'POST',
    path: collection,
    status: 202,
    summary: 'Import a file',
    description:
      'Starts the import of an uploaded file and returns it; `GET` on it returns its progress. Each row is written ' +
      'or rejected by itself, with the rights of the caller, as in a bulk creation with `atomic=false`. All rows are ' +
      'read first: if any part of the file cannot be read, nothing is written. An import continues after a restart ' +
      'of the server, and writes no row twice. To undo it, revert the import.',
    query: z.strictObject(silentQuery),
    body: importBody,
    response: answer,
    errors: ['payload_too_large'],
    examples: {
      body: {
        object: 'person',
        upload_id: exampleIds.importUpload,
        mapping: [
          { source: 'Name', field: 'name' },
          { source: 'E-mail', field: 'email_addresses' },
        ],
        match_on: 'email_addresses',
      },
    },
  },
  get: {
    ...reading,
    method: 'GET',
    path: one,
    summary: 'Get an import',
    description: 'Returns the state of an import and its counts. Only its creator and admins may call it.',
    response: answer,
  },
  cancel: {
    ...changing,
    method: 'POST',
    path: `${one}/cancel`,
    status: 200,
    summary: 'Cancel an import',
    description: 'Rows that are imported stay. An import that has ended is returned unchanged.',
    query: z.strictObject(silentQuery),
    response: answer,
  },
  resume: {
    ...changing,
    method: 'POST',
    path: `${one}/resume`,
    status: 202,
    summary: 'Resume an import',
    description:
      'Continues an import that failed or was cancelled after its last row, as the caller. One that is in progress ' +
      'or completed is returned unchanged. Files are kept for a week.',
    query: z.strictObject(silentQuery),
    response: answer,
    errors: ['import_state'],
  },
  revert: {
    ...changing,
    method: 'POST',
    path: `${one}/revert`,
    status: 202,
    summary: 'Revert an import',
    description:
      'Reverts the changes of an import that has ended, as the caller, the last change first; it continues after ' +
      'the response. Created records are deleted, and fields get their old values. Values that were changed later ' +
      'are not reverted, and are reported as conflicts. An import can be reverted once: a second call returns the ' +
      'progress.',
    query: z.strictObject(silentQuery),
    response: revertAnswer,
    errors: ['import_state'],
  },
  getRevert: {
    ...reading,
    method: 'GET',
    path: `${one}/revert`,
    summary: 'Get the progress of reverting an import',
    description: 'Only the creator of the import and admins may call it.',
    response: revertAnswer,
  },
  exportRejects: {
    ...reading,
    method: 'GET',
    path: `${one}/rejects`,
    media: 'text/csv',
    summary: 'Download the rejected rows of an import',
    description:
      'A CSV file with the columns of the imported file, and the columns `_line` and `_reason`. Correct it, and ' +
      'import it with the same mapping, which ignores the added columns. For a file of the same format, see ' +
      '`imports.writeRejects`.',
    response: z.string(),
  },
  writeRejects: {
    ...changing,
    method: 'POST',
    path: `${one}/rejects/file`,
    status: 200,
    summary: 'Write the rejected rows of an import as a file',
    description:
      'Returns a URL of a file in the format of the import: a workbook with the columns of the imported sheet and ' +
      'the columns `_line` and `_reason`, or vCards with the properties `X-KONTOR-LINE` and `X-KONTOR-REASON` and ' +
      'without pictures. Those of CSV and NDJSON are written as CSV. Correct the file, and import it with the same ' +
      'mapping.',
    secret: true,
    query: z.strictObject(silentQuery),
    response: z.object({
      data: z
        .object({
          signedUrl: z.string().meta({ description: 'Valid for an hour, without credentials.' }),
          name: fileName,
        })
        .meta({ id: 'ImportRejectsFile' }),
    }),
  },
})
