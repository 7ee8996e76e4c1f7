import type { Knex } from 'knex'
import type { TableName } from './columns.ts'

/** Members by name, array items by number. */
export type JsonPath = readonly (string | number)[]

/** One member of each item of a JSON array. With `orText`, an item that is a plain text stands for that member. */
type ItemMember = { readonly name: string; readonly orText: boolean }

/** The rows of one field in `field_gram`. */
type GramScope = { readonly workspaceId: string; readonly field: string }

/** A column, and the values of which it has one. */
type OneOf = readonly [column: string, values: readonly string[]]

export type LockPurpose = 'change' | 'keep' | 'delete' | 'refer' | 'claim'

/** The expressions in which the two databases differ; no code outside `db/` asks which database it is. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /**
   * True if queries go over a network, where one query for two questions costs less than two queries, even simpler
   * ones.
   */
  readonly isRemote: boolean
  /**
   * Take a named lock until the transaction ends, at once or after waiting for it, and find the locks of others without
   * taking them: a row says yes. None on SQLite, whose one writer has every lock.
   */
  readonly locks?: { readonly take: string; readonly wait: string; readonly find: string }
  /** The words before a statement that ask for its plan, and the steps in the answer. */
  readonly explains: { readonly words: string; readonly steps: (rows: unknown) => string[] }
  /** The workspaces that have rows in a table, in the one column `workspace_id`. */
  workspacesIn(table: TableName): Knex.Raw
  /** Text at a path of a JSON column, or null. */
  jsonText(column: string, path: JsonPath): Knex.Raw
  /**
   * Text at a path of a JSON column. An object there gives the texts in it at any depth, in byte order, joined by
   * commas.
   */
  jsonTexts(column: string, path: JsonPath): Knex.Raw
  /** The items of a JSON array, or a member of each, as a table with the one text column `item`. */
  jsonItems(column: string, path: JsonPath, member?: ItemMember): Knex.Raw
  /** The id in a member of a JSON column, comparable with an id column. */
  jsonId(column: string, key: string): Knex.Raw
  /** An object of some members of a JSON column, null where it has none. */
  jsonPick(column: string, keys: readonly string[]): Knex.Raw
  /** A JSON column without one of its members. */
  jsonRemove(column: string, key: string): Knex.Raw
  /** Case folded and normalised as `fold()` in `db/fold.ts` does, in binary collation. */
  fold(text: Knex.Raw): Knex.Raw
  /** Normalises a phone number for comparison, as `phoneForm()` of `db/fold.ts` makes it, in binary collation. */
  phone(text: Knex.Raw): Knex.Raw
  /** Holds where a column equals one of any number of ids, or of texts, in one binding, which may be a `param`. */
  oneOf(column: string, values: readonly string[], kind?: 'uuid' | 'text'): Knex.Raw
  /**
   * Holds where one column equals one of some texts, and another one of some ids. Rows are found by both, also where
   * Postgres does not know yet that a text has many: it would read them all for each id.
   */
  bothOf(texts: OneOf, ids: OneOf): Knex.Raw
  /** Any number of ids, or of texts, as a table with the one column `id`, in one binding. */
  idTable(ids: readonly string[], kind?: 'uuid' | 'text'): Knex.Raw
  /**
   * The day of an instant in a time zone, as `YYYY-MM-DD`: of milliseconds since 1970, or of a text in ISO 8601. Null
   * for null.
   */
  dayIn(instant: Knex.Raw, form: 'ms' | 'text', timeZone: string): Knex.Raw
  /** The Monday of the week of a day; both are `YYYY-MM-DD`. */
  mondayOf(day: Knex.Raw): Knex.Raw
  /** The median of the numbers of a group, null if there are none. */
  median(value: Knex.Raw): Knex.Raw
  /** Documents with ids, as a table with the columns `position`, `id` and `data`, in one binding. */
  stateTable(states: readonly { readonly id: string; readonly data: unknown }[]): Knex.Raw
  /** Containment of a literal text, with no wildcards. */
  contains(text: Knex.Raw, part: string): Knex.Raw
  endsWith(text: Knex.Raw, part: string): Knex.Raw
  /**
   * A table or query `s` joined with a table under a name: one lookup for each row of `s` and in their order, whatever
   * the planner estimates.
   */
  lookUp(s: TableName | Knex.QueryBuilder | Knex.Raw, table: TableName, name: string, on: Knex.Raw): Knex.Raw
  /** A query as a table that the planner does not merge into the query around it. */
  fenced(query: Knex.Raw): Knex.Raw
  /** Rows of `field_gram`, under the name `s`, that have all of the grams, or the one gram `other`. */
  withGrams(scope: GramScope, grams: readonly number[], other: number): Knex.QueryBuilder
  /** Rows of `search_document` in the index, under the name `s`, that have all of the grams. */
  documentsWithGrams(grams: readonly number[]): Knex.QueryBuilder
  /**
   * Locks the selected rows until the transaction ends, where writers run concurrently. `change` blocks other changes,
   * and so does `keep`, which several may hold at once; `delete` also blocks new references to the row; `refer` blocks
   * deletions; `claim` is `delete` but skips rows that another transaction has locked. Of several tables one is named.
   */
  locked<Q extends Knex.QueryBuilder>(query: Q, purpose: LockPurpose, table?: string): Q
}
