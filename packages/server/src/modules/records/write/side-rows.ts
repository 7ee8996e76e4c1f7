import type { RowOf } from '../../../db/columns.ts'
import type { Field, RecordData } from '../../fields/index.ts'
import { uniqueValues, type Indexable } from '../../indexes/index.ts'
import { linkEndOf, uniqueName, type ObjectModel } from '../../objects/index.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Change } from '@kontor/contract'

/** A record with side rows: its index rows, unique keys and links. */
export type SideRows = Indexable & {
  /** Location of its attributes in the body; if the body has only its id, the location of the id. */
  readonly path: readonly (string | number)[]
  readonly idAlone?: true
}

/** Unique fields, including those of a pending schema change. */
export const uniquesOf = (object: ObjectModel): readonly Field[] =>
  object.evolution === undefined ? object.uniques : [...object.uniques, ...object.evolution.claimed]

export const uniqueRows = (workspaceId: string, object: ObjectModel, { id, data }: SideRows): RowOf<'unique_key'>[] =>
  uniquesOf(object).flatMap((field) =>
    uniqueValues(field, data).map((value) => ({
      workspace_id: workspaceId,
      field: uniqueName(object, field),
      key_value: value,
      record_id: id,
    })),
  )

export const linkRows = (
  workspaceId: string,
  object: ObjectModel,
  { id, data }: SideRows,
): Omit<RowOf<'link'>, 'hidden_by'>[] =>
  object.references.flatMap((field) => {
    const to = data[field.key]
    return typeof to !== 'string'
      ? []
      : [{ workspace_id: workspaceId, relationship: linkEndOf(object, field).relationship, from_id: id, to_id: to }]
  })

/** The differences between two states of a record, field by field; null stands for no value. */
export function diffData(object: ObjectModel, before: RecordData, after: RecordData): Change[] {
  return object.attributes.flatMap(({ name, key }): Change[] => {
    const oldVal = before[key] ?? null
    const val = after[key] ?? null
    if (isDeepStrictEqual(oldVal, val)) return []
    return [{ op: oldVal === null ? 'add' : val === null ? 'delete' : 'update', path: [name], val, oldVal }]
  })
}
