import type { Operator } from './filters.ts'

/** JSON Schema 2020-12, by its keywords. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** A value in answers and in requests. */
export type AttributeShape = { readonly answered: JsonSchema; readonly sent: JsonSchema }

export type AttributeDescription = {
  readonly name: string
  /** Null where it may be empty. */
  readonly answered: JsonSchema
  /** Undefined if the API does not write it. */
  readonly sent: JsonSchema | undefined
  /** True if a record can only be created with a value. */
  readonly required: boolean
  readonly unique: boolean
}

export type RelationshipDescription = {
  readonly name: string
  readonly title: string
  readonly entity: string
  readonly many: boolean
  readonly writable: boolean
}

/** Something that a list is filtered by, and sorted by if `sortable`. */
export type ColumnDescription = {
  readonly name: string
  readonly operators: readonly Operator[]
  readonly sortable: boolean
}

/** An object, as its users need to know it. */
export type ObjectDescription = {
  readonly name: string
  readonly label: { readonly singular: string; readonly plural: string }
  readonly description: string | undefined
  readonly readOnly: boolean
  readonly attributes: readonly AttributeDescription[]
  readonly relationships: readonly RelationshipDescription[]
  readonly columns: readonly ColumnDescription[]
}

/**
 * The name of an object as a type: `c_sub_committee` becomes `CSubCommittee`. A `_` before a digit becomes an `X`, as
 * in
 * `CPartX1` for `c_part_1`, and so it does before the `x` of an `x1`. No two objects share a name, not even where a
 * generator leaves out what is no letter or digit.
 */
export const typeName = (object: string): string =>
  `_${object}`.replaceAll(/_(?=x*\d)/g, 'X').replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
