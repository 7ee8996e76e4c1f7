import type { Knex } from 'knex'
import type { TableName } from './columns.ts'

/** Members by name, array items by number. */
export type JsonPath = readonly (string | number)[]

/** The rows of one field in `field_gram`. */
type GramPlace = { readonly workspaceId: string; readonly field: string }

/** The key of a record; the id may be an expression over the tables of the query around it. */
type RecordKey = { readonly workspaceId: string; readonly id: Knex.Raw }

/** One end of the links of a relationship. */
type LinkEnd = { readonly workspaceId: string; readonly relationship: string; readonly end: 'from_id' | 'to_id' }

/** Escapes the next character of a pattern; Knex would interpret a backslash itself. */
export const likeEscape = '!'

export type Comparison = '=' | '>' | '>=' | '<' | '<='

export type LockPurpose = 'change' | 'delete' | 'refer' | 'claim'

/** The expressions in which the two databases differ; no code outside `db/` asks which database it is. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /**
   * Whether queries go over a network, where one query for two questions costs less than two queries, even simpler
   * ones.
   */
  readonly isRemote: boolean
  /**
   * Take a named lock until the transaction ends, and find the locks of others without taking them: a row says yes. None
   * on SQLite, whose one writer has every lock.
   */
  readonly locks?: { readonly take: string; readonly find: string }
  /** The words before a statement that ask for its plan, and the steps in the answer. */
  readonly explains: { readonly words: string; readonly steps: (rows: unknown) => string[] }
  /** Text at a path of a JSON column, or null. */
  jsonText(knex: Knex, column: string, path: JsonPath): Knex.Raw
  /**
   * Text at a path of a JSON column. An object there gives the texts in it at any depth, in byte order, joined by
   * commas.
   */
  jsonTexts(knex: Knex, column: string, path: JsonPath): Knex.Raw
  /** Number at a path of a JSON column, or null. */
  jsonNumber(knex: Knex, column: string, path: JsonPath): Knex.Raw
  /** 1 or 0 for a boolean at a path of a JSON column, or null. */
  jsonFlag(knex: Knex, column: string, path: JsonPath): Knex.Raw
  /** The items of a JSON array, as a table with the one text column `item`. */
  jsonItems(knex: Knex, column: string, path: JsonPath): Knex.Raw
  /**
   * One member of each object in a JSON array, as a table with the one text column `item`. With `isFirst`, an item that
   * is a plain text stands for that member.
   */
  jsonItemMembers(knex: Knex, column: string, path: JsonPath, member: string, isFirst: boolean): Knex.Raw
  /** The id in a member of a JSON column, comparable with an id column. */
  jsonId(knex: Knex, column: string, key: string): Knex.Raw
  /** Case folded and normalised as `fold()` in `db/fold.ts` does, in binary collation. */
  fold(knex: Knex, text: Knex.Raw): Knex.Raw
  /** A JSON column without one of its members. */
  jsonRemove(knex: Knex, column: string, key: string): Knex.Raw
  /** Holds where a column equals one of any number of ids, or of texts, in one binding. */
  oneOf(knex: Knex, column: string, values: readonly string[], kind?: 'uuid' | 'text'): Knex.Raw
  /**
   * `oneOf` for a list that is given at each call: in the statement a `param`, in its arguments the result of `list`.
   */
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
  /** Holds where an event in the feeds is that of a schema, worded as in the partial index of those events. */
  isOfSchema(knex: Knex): Knex.Raw
  /** The first characters of a text. */
  prefix(knex: Knex, text: Knex.Raw, length: number): Knex.Raw
  /** Containment of a literal text, with no wildcards. */
  contains(knex: Knex, text: Knex.Raw, part: string): Knex.Raw
  startsWith(knex: Knex, text: Knex.Raw, part: string): Knex.Raw
  endsWith(knex: Knex, text: Knex.Raw, part: string): Knex.Raw
  /**
   * Holds where a folded text matches a pattern: `%` is any characters, `_` is one, and `likeEscape` escapes the next.
   */
  like(knex: Knex, text: Knex.Raw, pattern: string): Knex.Raw
  isNull(knex: Knex, value: Knex.Raw): Knex.Raw
  /** A text, or null if it is in a list. */
  without(knex: Knex, text: Knex.Raw, texts: readonly string[]): Knex.Raw
  /** A derived table under a name. */
  aliased(knex: Knex, table: Knex.Raw, name: string): Knex.Raw
  /** Conditions joined; with none, `all` holds and `any` does not. */
  all(knex: Knex, conditions: readonly Knex.Raw[]): Knex.Raw
  any(knex: Knex, conditions: readonly Knex.Raw[]): Knex.Raw
  /** The position of the first condition that holds; their number if none does. */
  firstOf(knex: Knex, conditions: readonly Knex.Raw[]): Knex.Raw
  /** Holds where a condition is false or unknown. */
  notTrue(knex: Knex, condition: Knex.Raw): Knex.Raw
  compare(knex: Knex, value: Knex.Raw, operator: Comparison, operand: string | number): Knex.Raw
  among(knex: Knex, value: Knex.Raw, operands: readonly (string | number)[]): Knex.Raw
  exists(knex: Knex, query: Knex.QueryBuilder): Knex.Raw
  /**
   * Returns whether a query by key finds its row, as a value: Postgres may estimate that an `exists` is cheaper by
   * reading the whole table once than by a lookup for each row. That is wrong by a factor of a thousand where a page
   * ends after some rows.
   */
  isThere(knex: Knex, byKey: Knex.QueryBuilder): Knex.Raw
  /** Holds where a text has exactly that many characters. */
  hasLength(knex: Knex, text: Knex.Raw, length: number): Knex.Raw
  /**
   * The records that a table `s` names in its column `record_id`, as a table `s` joined with `r`: one lookup by key for
   * each row of `s` and in their order, whatever the planner estimates.
   */
  recordsOf(knex: Knex, s: TableName | Knex.QueryBuilder, workspaceId: string): Knex.Raw
  /** The record with that key, as a table under that name: a lookup by key, whatever the planner estimates. */
  recordAt(knex: Knex, key: RecordKey, name: string): Knex.Raw
  /**
   * The live links of the records that a query names in its column `record_id`, as a table `s` joined with `l`, looked
   * up the same way.
   */
  linksOf(knex: Knex, s: Knex.QueryBuilder, links: LinkEnd): Knex.Raw
  /** Rows of `field_gram`, under the name `s`, that have all of the grams, or the one gram `other`. */
  withGrams(knex: Knex, place: GramPlace, grams: readonly number[], other: number): Knex.QueryBuilder
  /** Rows of `search_document` in the index, under the name `s`, that have all of the grams. */
  documentsWithGrams(knex: Knex, grams: readonly number[]): Knex.QueryBuilder
  /** The sum of two numbers. */
  plus(knex: Knex, one: Knex.Raw, other: Knex.Raw): Knex.Raw
  /** The difference of two numbers. */
  minus(knex: Knex, from: Knex.Raw, less: Knex.Raw): Knex.Raw
  /** The number of rows that a query finds before its limit, in each of its rows. */
  countOver(knex: Knex): Knex.Raw
  /** A query used as a value. */
  asValue(knex: Knex, query: Knex.QueryBuilder): Knex.Raw
  /** `limit` as a parameter; Knex itself accepts only a number. */
  limited(knex: Knex, query: Knex.QueryBuilder, rows: never): Knex.Raw
  /**
   * Locks the selected rows until the transaction ends, where writers run concurrently. `change` blocks other changes;
   * `delete` also blocks new references to the row; `refer` blocks deletions; `claim` is `delete` but skips rows that
   * another transaction has locked.
   */
  locked<Q extends Knex.QueryBuilder>(query: Q, purpose: LockPurpose): Q
}
