import { z } from 'zod'
import { dryRunQuery, empty, silentQuery } from './shared.ts'

export const change = z
  .object({
    op: z.enum(['add', 'update', 'delete']),
    path: z.array(z.string()),
    val: z.unknown().optional(),
    oldVal: z.unknown().optional(),
  })
  .meta({ id: 'Change' })

export type Change = z.infer<typeof change>

/** A change of a dry run; where one call changes several records, it names its record. */
const rehearsedChange = change
  .extend({ record_id: z.string().optional().meta({ description: 'The record, if the call can change several.' }) })
  .meta({ id: 'RehearsedChange' })

export type RehearsedChange = z.infer<typeof rehearsedChange>

export const mutationMeta = z
  .object({
    dry_run: z.literal(true).optional(),
    diff: z
      .array(rehearsedChange)
      .optional()
      .meta({ description: 'The changes that the real call would make; only in a dry run.' }),
  })
  .meta({ id: 'MutationMeta' })

export const mutationQuery = z.strictObject({ ...silentQuery, ...dryRunQuery })

export const removal = z
  .union([empty, z.strictObject({ meta: mutationMeta })])
  .meta({ id: 'Removal', description: 'An empty object; with `meta` in a dry run.' })
