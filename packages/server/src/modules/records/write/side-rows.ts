import type { RowOf } from '../../../db/columns.ts'
import type { Field } from '../../fields/index.ts'
import { uniqueValues, type Indexable } from '../../indexes/index.ts'
import { linkEndOf, uniqueName, type ObjectModel } from '../../objects/index.ts'

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
