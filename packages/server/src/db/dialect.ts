import type { Knex } from 'knex'
import type { TableName } from './columns.ts'

/** Members by name, array items by number. */
export type JsonPath = readonly (string | number)[]

/** The rows of one field in `field_gram`. */
type GramPlace = { readonly workspaceId: string; readonly field: string }

/** The key of a record, as expressions over the tables of the query around it. */
type RecordKey = { readonly workspaceId: Knex.Raw; readonly id: Knex.Raw }

/** One end of the links of a relationship. */
type LinkEnd = { readonly workspaceId: string; readonly relationship: string; readonly end: 'from_id' | 'to_id' }

/** Stands before a sign of a pattern that means itself; a backslash would be read anew by Knex. */
export const likeEscape = '!'

export type Comparison = '=' | '>' | '>=' | '<' | '<='

export type LockPurpose = 'change' | 'delete' | 'refer' | 'claim'

/** The words in which the two databases differ; nothing outside `db/` asks which database it is. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /** Whether a query goes over a wire: one that answers two questions costs less than two, though each be simpler. */
  readonly isRemote: boolean
  /** Text at a path of a JSON column, or null. */
  jsonText(knex: Knex, column: string, path: JsonPath): Knex.Raw
  /** The same, where it may also be an object: then the texts in it at any depth, in the order of their bytes, joined by commas. */
  jsonTexts(knex: Knex, column: string, path: JsonPath): Knex.Raw
  /** Number at a path of a JSON column, or null. */
  jsonNumber(knex: Knex, column: string, path: JsonPath): Knex.Raw
  /** 1 or 0 for a boolean at a path of a JSON column, or null. */
  jsonFlag(knex: Knex, column: string, path: JsonPath): Knex.Raw
  /** The items of a JSON array, as a table with the one text column `item`. */
  jsonItems(knex: Knex, column: string, path: JsonPath): Knex.Raw
  /** The same of an array of objects, by one of their members; a text among them is what that member would be, if it is the `first`. */
  jsonItemMembers(knex: Knex, column: string, path: JsonPath, member: string, isFirst: boolean): Knex.Raw
  /** The id at a member of a JSON column, comparable with an id column. */
  jsonId(knex: Knex, column: string, key: string): Knex.Raw
  /** Case folded and normalised as `fold()` in `db/fold.ts` does, in binary collation. */
  fold(knex: Knex, text: Knex.Raw): Knex.Raw
  /** A JSON column without one of its members. */
  jsonRemove(knex: Knex, column: string, key: string): Knex.Raw
  /** Whether a column has one of any number of ids, or of texts, in one binding. */
  oneOf(knex: Knex, column: string, values: readonly string[], kind?: 'uuid' | 'text'): Knex.Raw
  /** The same for a list that only the call has: in the statement a `param`, in its arguments what `list` makes. */
  oneOfGiven(knex: Knex, column: string, values: never, kind?: 'uuid' | 'text'): Knex.Raw
  list(values: readonly string[]): unknown
  /** Any number of ids as a table with the one column `id`, in one binding. */
  idTable(knex: Knex, ids: readonly string[]): Knex.Raw
  /** `(a, b) > (x, y)`, as one comparison that an index answers. */
  tupleAfter(
    knex: Knex,
    columns: readonly string[],
    values: readonly unknown[],
    direction: 'after' | 'before',
  ): Knex.Raw
  /** Whether an event in the feeds is that of a schema, in the words of the index that holds those alone. */
  isOfSchema(knex: Knex): Knex.Raw
  /** The first characters of a text. */
  prefix(knex: Knex, text: Knex.Raw, length: number): Knex.Raw
  /** Containment of a literal text, with no wildcards. */
  contains(knex: Knex, text: Knex.Raw, part: string): Knex.Raw
  startsWith(knex: Knex, text: Knex.Raw, part: string): Knex.Raw
  endsWith(knex: Knex, text: Knex.Raw, part: string): Knex.Raw
  /** Whether a folded text fits a pattern: `%` any characters, `_` one, and `likeEscape` before what means itself. */
  like(knex: Knex, text: Knex.Raw, pattern: string): Knex.Raw
  isNull(knex: Knex, value: Knex.Raw): Knex.Raw
  /** A text, or null where it is one of some. */
  without(knex: Knex, text: Knex.Raw, texts: readonly string[]): Knex.Raw
  /** A derived table under a name. */
  aliased(knex: Knex, table: Knex.Raw, name: string): Knex.Raw
  /** Conditions joined; without any, `all` holds and `any` does not. */
  all(knex: Knex, conditions: readonly Knex.Raw[]): Knex.Raw
  any(knex: Knex, conditions: readonly Knex.Raw[]): Knex.Raw
  /** The position of the first condition that holds; their number where none does. */
  firstOf(knex: Knex, conditions: readonly Knex.Raw[]): Knex.Raw
  /** Holds where a condition is false or unknown. */
  notTrue(knex: Knex, condition: Knex.Raw): Knex.Raw
  compare(knex: Knex, value: Knex.Raw, operator: Comparison, operand: string | number): Knex.Raw
  among(knex: Knex, value: Knex.Raw, operands: readonly (string | number)[]): Knex.Raw
  exists(knex: Knex, query: Knex.QueryBuilder): Knex.Raw
  /**
   * Whether a query by key finds its row. As a value, since of an `exists` Postgres may think that reading the whole table once is
   * cheaper than a lookup for each row, and be wrong by a factor of a thousand where a page ends after some rows.
   */
  isThere(knex: Knex, byKey: Knex.QueryBuilder): Knex.Raw
  /** Whether a text has exactly that many characters. */
  hasLength(knex: Knex, text: Knex.Raw, length: number): Knex.Raw
  /**
   * The records that a table `s` names in its column `record_id`, as a table `s` beside `r`: one lookup by key for each of its
   * rows and in their order, whatever the planner thinks of their number.
   */
  recordsOf(knex: Knex, s: TableName | Knex.QueryBuilder, workspaceId: string): Knex.Raw
  /** The record with that key, as a table under that name: a lookup, whatever the planner thinks of the number of records. */
  recordAt(knex: Knex, key: RecordKey, name: string): Knex.Raw
  /** The live links of the records that a query names in its column `record_id`, as a table `s` beside `l`, looked up in the same way. */
  linksOf(knex: Knex, s: Knex.QueryBuilder, links: LinkEnd): Knex.Raw
  /** Rows of `field_gram`, under the name `s`, that have all of the grams, or the single other one. */
  withGrams(knex: Knex, place: GramPlace, grams: readonly number[], other: number): Knex.QueryBuilder
  /** Rows of `search_document` in the index, under the name `s`, that have all of the grams. */
  documentsWithGrams(knex: Knex, grams: readonly number[]): Knex.QueryBuilder
  /** The sum of two numbers. */
  plus(knex: Knex, one: Knex.Raw, other: Knex.Raw): Knex.Raw
  /** The difference of two numbers. */
  minus(knex: Knex, from: Knex.Raw, less: Knex.Raw): Knex.Raw
  /** The number of rows that a query finds before its limit, in each of its rows. */
  countOver(knex: Knex): Knex.Raw
  /** A query in the place of a value. */
  asValue(knex: Knex, query: Knex.QueryBuilder): Knex.Raw
  /** `limit` as a parameter, which Knex takes as a number only. */
  limited(knex: Knex, query: Knex.QueryBuilder, rows: never): Knex.Raw
  /**
   * Locks the selected rows until the transaction ends, where writers run side by side: `change` keeps other changes
   * out, `delete` also those who would refer to the row, `refer` keeps deletions out; `claim` is `delete` without the
   * rows that somebody else has locked.
   */
  locked<Q extends Knex.QueryBuilder>(query: Q, purpose: LockPurpose): Q
}
