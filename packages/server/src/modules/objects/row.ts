import type { RecordData } from '../fields/index.ts'

export type RecordRow = {
  readonly id: string
  readonly version: number
  readonly owner_id: string | null
  readonly visibility: number
  readonly created_at: number
  readonly created_by: string | null
  readonly updated_at: number
  readonly updated_by: string | null
  readonly data: RecordData
}

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

export type DeletedRow = RecordRow & { readonly deleted_at: number; readonly deleted_by: string | null }

/** A link of a relationship, from the record at one end to the record at the other. */
export type LinkRow = { readonly relationship: string; readonly from_id: string; readonly to_id: string }
