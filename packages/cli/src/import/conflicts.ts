import type { RecordResource } from '@kontor/contract'
import type { KontorError } from '@kontor/client'

/** An answer to a rehearsed upsert. */
export type Rehearsal = { readonly data: readonly RecordResource[]; readonly changes: boolean }

/** The newest time among records: that of the request, where it wrote at all. */
export const newestOf = (records: readonly RecordResource[]): string =>
  records.reduce((newest, { attributes }) => (attributes._updated_at > newest ? attributes._updated_at : newest), '')

/** The unique field that a refusal is about. */
export function conflictField({ code, errors }: KontorError): string | undefined {
  const field = code === 'unique_violation' ? errors[0]?.meta?.['field'] : undefined
  return typeof field === 'string' ? field : undefined
}

/** A row that cannot be a new record; `isThere` when a record has its very values. */
export type Conflict = { readonly reason: string; readonly isThere: boolean }

/**
 * The rows that cannot be new records, by their positions. A refusal names only the first; but had the rows been matched
 * on the field, those in conflict are the ones that would have met a record.
 */
export function findConflicts({ data, changes }: Rehearsal, object: string, field: string): Map<number, Conflict> {
  const now = changes ? newestOf(data) : undefined
  const seen = new Set<string>()
  const conflicts = new Map<number, Conflict>()
  for (const [position, { id, attributes }] of data.entries()) {
    const isThere = attributes._updated_at !== now
    if (seen.has(id)) conflicts.set(position, { reason: `${field}: An earlier row has the same ${field}.`, isThere })
    else if (attributes._created_at !== now) conflicts.set(position, { reason: `${field}: Another ${object} has this ${field} already. Its id: ${id}.`, isThere })
    seen.add(id)
  }
  return conflicts
}
