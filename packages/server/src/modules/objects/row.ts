import type { RowOf } from '../../db/columns.ts'
import type { RecordData } from '../fields/index.ts'
import { deletedKeptDays } from '@kontor/contract'
import { dayMs } from '../../kernel/clock.ts'

/**
 * Retention of deleted records: they can be restored for this long. Then they are purged, and until that has happened
 * they answer as if it had.
 */
export const keptMs = deletedKeptDays * dayMs

export type RecordRow = Pick<RowOf<'record'>, (typeof recordColumns)[number]> & { readonly data: RecordData }

export const recordColumns = [
  'id',
  'version',
  'owner_id',
  'visibility',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
  'data',
] as const

export type DeletedRow = RecordRow & Pick<RowOf<'record'>, 'deleted_by'> & { readonly deleted_at: number }

/** A link of a relationship, from the record at one end to the record at the other. */
export type LinkRow = Pick<RowOf<'link'>, 'relationship' | 'from_id' | 'to_id'>
