import type { RowOf } from '../../db/columns.ts'
import type { RecordData } from '../fields/index.ts'

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
