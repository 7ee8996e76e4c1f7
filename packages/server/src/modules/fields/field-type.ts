import type {
  AttributeShape,
  FieldSchema,
  FieldTypeName,
  JsonType,
  Keyword,
  Operator,
  RelationshipKind,
} from '@kontor/contract'
import type { LinkEnd } from '../schemas/index.ts'

/** Reports a fault of a value, at a path below the field. */
export type Report = (detail: string, path?: readonly (string | number)[]) => void

/** The form of a stored value in comparisons and sorting. */
type ComparedAs = 'text' | 'number' | 'flag' | 'items' | 'nothing'

/** Checks a stored value beyond its type. */
export type Check = (stored: unknown, report: Report) => void
/**
 * The kind of an index on a field: its values in order, as texts (`field_text`) or as numbers (`field_number`), or
 * their trigrams (`field_gram`).
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
  /** Removed options that records may still have; they count as empty. */
  readonly clearing: readonly string[]
  /** The checks of the schema's keywords. */
  readonly checks: readonly Check[]
  /** The end of its links, if it is a relationship. */
  readonly link: LinkEnd | undefined
  readonly relationship:
    | { readonly kind: RelationshipKind; readonly entity: string; readonly field: string | undefined }
    | undefined
  readonly schema: FieldSchema
}

export type ParseContext = {
  readonly newId: () => string
  /** The country of phone numbers that name none; undefined where there is none, or where it does not matter. */
  readonly country?: string | undefined
  /** The zone of times that name none, likewise. */
  readonly timeZone?: string | undefined
}

/** A type of value: how it is parsed, stored, presented and compared. One file each in this folder. */
export type FieldType = {
  readonly name: FieldTypeName
  readonly comparedAs: ComparedAs
  /** JSON types that its schema may name, besides `null`. */
  readonly jsonTypes: readonly JsonType[]
  /** Keywords that its schema may use, besides the common ones. */
  readonly keywords: readonly Keyword[]
  /** Most characters of a value, if it is a text. */
  readonly lengthMax?: number
  /** Where the compared value lies below the field's key in the stored document. */
  readonly path: readonly string[]
  /** Texts in the value that lists can also be sorted and filtered by, each as a column of its own. */
  readonly parts?: readonly string[]
  /**
   * Set if items are objects: the member by which they are compared, and further members in which a part is searched.
   */
  readonly itemMembers?: readonly [string, ...string[]]
  /**
   * Set if an item is compared by more than its folded text: what is searched for the operands of `parseOperand` and
   * `parsePart`. `Is` then means that the form contains the operand. The databases compute it as `Dialect.phone`.
   */
  readonly itemForm?: (item: string) => string
  /** Another text by which an item is unique, where several spellings of it are stored as they are. */
  readonly uniqueForm?: (item: string) => string | undefined
  /** The normal form by which two items are equal, unless it is the item itself. */
  itemKey?(item: unknown, country?: string): string
  /** Of two equal items: the first, with what only the second tells. */
  completeItem?(first: unknown, second: unknown): unknown
  /** Set if a value may be an object; it is compared by all the texts in it. */
  readonly nested?: true
  /** Compared without folding: dates, ids and select values are what they are. */
  readonly exact?: true
  readonly operators: readonly Operator[]
  /** The kinds of index that filters and sorts by such a field can use. */
  readonly indexes: readonly IndexKind[]
  /** The value in an answer if nothing is stored. */
  readonly empty: null | { readonly items: readonly never[] }
  /** The shape of its values if not empty, including the keywords of the schema. */
  shape(field: Field): AttributeShape
  /** A value in stored form, or undefined after a report. Never called with null; may return null for "empty". */
  parse(value: unknown, field: Field, report: Report, context: ParseContext): unknown
  /** Presents a stored value; without this function it is presented as it is. */
  present?(stored: unknown, field: Field): unknown
  /**
   * Merges a given object, as it was sent, with the stored one, if merging their members is not enough; null if nothing
   * is left.
   */
  merge?(stored: Record<string, unknown>, given: Record<string, unknown>): unknown
  /** Parses a value of a filter to its compared form; undefined if it is not of this type. */
  parseOperand(value: string | number | boolean, field: Field, timeZone?: string): string | number | undefined
  /** For a collection: parses a part of an item in a filter, folded. */
  parsePart?(value: string | number | boolean): string
}
