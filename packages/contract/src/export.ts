import { z } from 'zod'
import { id, timestamp } from './shared.ts'

export const exportStates = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const

export type ExportState = (typeof exportStates)[number]

export const exportKinds = ['workspace'] as const

export type ExportKind = (typeof exportKinds)[number]

/** The body that starts an export. */
export const exportBody = z
  .strictObject({
    kind: z.enum(exportKinds).meta({
      description:
        'The content of the file. `workspace`: a bundle of everything in the workspace, which ' +
        '`kontor workspace restore` restores; only admins may, with a credential without scopes.',
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
      file_name: z.string().meta({ example: 'acme-2026-01-31.zip' }),
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
