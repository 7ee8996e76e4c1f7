import type {
  AttributeShape,
  FieldSchema,
  FieldTypeName,
  JsonType,
  Keyword,
  Operator,
  RelationshipKind,
} from '@kontor/contract'
import type { LinkPlace } from '../../schemas/index.ts'

/** Tells what is wrong with a value, at a path below the field. */
export type Report = (detail: string, path?: readonly (string | number)[]) => void

/** What comparing and sorting see of a stored value. */
type ComparedAs = 'text' | 'number' | 'flag' | 'items' | 'nothing'

/** Tells what a stored value is not, beyond being of its type. */
export type Check = (stored: unknown, report: Report) => void
/**
 * What an index on a field holds: its values in order, as texts (`field_text`) or as numbers (`field_number`), or all groups of
 * three characters in them (`field_gram`).
 */
export type IndexKind = 'text' | 'number' | 'grams'

/** A field of an object, compiled from its schema. */
export type Field = {
  readonly name: string
  /** Member of the stored document; stays when the field is renamed. */
  readonly key: string
  /** Its name in the claims of unique values, and in the field index. */
  readonly uniqueKey: string
  readonly indexKey: string
  readonly type: FieldType
  readonly title: string
  readonly primary: boolean
  readonly unique: boolean
  readonly required: boolean
  readonly readOnly: boolean
  readonly options: ReadonlySet<string> | undefined
  /** Options of before that records may still have; they count as empty. */
  readonly clearing: readonly string[]
  /** What the keywords of the schema ask of a value. */
  readonly checks: readonly Check[]
  /** Where its links are kept, if it is a relationship. */
  readonly link: LinkPlace | undefined
  readonly relationship:
    | { readonly kind: RelationshipKind; readonly entity: string; readonly field: string | undefined }
    | undefined
  readonly schema: FieldSchema
}

export type ParseContext = { readonly newId: () => string }

/** One kind of value: how it is read, stored, shown and compared. One file each in this folder. */
export type FieldType = {
  readonly name: FieldTypeName
  readonly comparedAs: ComparedAs
  /** What `type` may say in its schema, beside `null`. */
  readonly jsonTypes: readonly JsonType[]
  /** What its schema may say, beside what every schema may. */
  readonly keywords: readonly Keyword[]
  /** Most characters of a value, where it is a text. */
  readonly lengthMax?: number
  /** Where the compared value lies below the field's key in the stored document. */
  readonly path: readonly string[]
  /** Texts in the value that lists are sorted and filtered by too, each as a column of its own. */
  readonly parts?: readonly string[]
  /** Items are objects: the member by which they are compared, and those in which else a part is looked for. */
  readonly itemMembers?: readonly [string, ...string[]]
  /** What makes two items the same, where that is not the items themselves. */
  itemKey?(item: unknown): string
  /** A value may be an object, and is compared by all the texts in it. */
  readonly nested?: true
  /** Compared without folding: dates, ids and select values are what they are. */
  readonly exact?: true
  readonly operators: readonly Operator[]
  /** The kinds of index that filters and sorts by such a field can use. */
  readonly indexes: readonly IndexKind[]
  /** What an answer shows where nothing is stored. */
  readonly empty: null | { readonly items: readonly never[] }
  /** What its values look like where they are not empty; the keywords of the schema included. */
  shape(field: Field): AttributeShape
  /** A value in stored form, or undefined after a report. Never called with null; may return null for "empty". */
  parse(value: unknown, field: Field, report: Report, context: ParseContext): unknown
  /** A stored value as it is answered with; as it is, where there is no such function. */
  present?(stored: unknown, field: Field): unknown
  /** Joins a given object with the stored one, where putting their members together is not enough. */
  merge?(stored: Record<string, unknown>, given: Record<string, unknown>): unknown
  /** One value as a filter gives it, in compared form; undefined if it is none of this type. */
  parseOperand(value: string | number | boolean, field: Field): string | number | undefined
  /** Of a collection: a part of an item as a filter gives it, folded. */
  parsePart?(value: string | number | boolean): string
}
