import type { DeletedResource, RecordResource } from '@kontor/contract'
import { isoTime } from '../../kernel/clock.ts'
import type { Field } from './fields/field-type.ts'
import type { ObjectModel } from './object.ts'
import type { DeletedRow } from './recovery/store.ts'
import { mergedIdsKey, type RecordRow } from './store.ts'

/** A row as the resource of spec §2: every attribute of the schema, `null` (or no items) where nothing is stored. */
export function presentRecord(object: ObjectModel, row: RecordRow, shown?: ReadonlySet<string>): RecordResource {
  const attributes: Record<string, unknown> = { _id: row.id }
  for (const field of object.attributes) if (shown?.has(field.name) !== false) attributes[field.name] = presentValue(field, row.data[field.key])
  attributes['_created_at'] = isoTime(row.created_at)
  attributes['_created_by'] = row.created_by
  attributes['_updated_at'] = isoTime(row.updated_at)
  attributes['_updated_by'] = row.updated_by
  const merged = row.data[mergedIdsKey]
  if (merged !== undefined) attributes['_merged_ids'] = merged
  return { type: object.name, id: row.id, attributes: attributes as RecordResource['attributes'], relationships: presentReferences(object, row, shown) }
}

/** The same for a deleted record, as it was then. */
export function presentDeleted(object: ObjectModel, row: DeletedRow): DeletedResource {
  const { attributes, ...resource } = presentRecord(object, row)
  return { ...resource, attributes: { ...attributes, _deleted_at: isoTime(row.deleted_at), _deleted_by: row.deleted_by } }
}

function presentValue(field: Field, stored: unknown): unknown {
  const { type } = field
  if (stored === undefined) return type.empty
  return type.present === undefined ? stored : type.present(stored, field)
}

function presentReferences(object: ObjectModel, row: RecordRow, shown: ReadonlySet<string> | undefined): RecordResource['relationships'] {
  const relationships: RecordResource['relationships'] = {}
  for (const { name, key, relationship } of object.references) {
    if (shown?.has(name) === false) continue
    const id = row.data[key] as string | undefined
    relationships[name] = id === undefined ? { data: null } : { data: { type: relationship?.entity ?? '', id } }
  }
  return relationships
}
