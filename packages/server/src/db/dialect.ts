import type { Knex } from 'knex'

export type JsonPath = readonly string[]

/** The words in which the two databases differ; nothing outside `db/` asks which database it is. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /** Text at a path of a JSON column, or null. */
  jsonText(knex: Knex, column: string, path: JsonPath): Knex.Raw
  /** Number at a path of a JSON column, or null. */
  jsonNumber(knex: Knex, column: string, path: JsonPath): Knex.Raw
  /** 1 or 0 for a boolean at a path of a JSON column, or null. */
  jsonFlag(knex: Knex, column: string, path: JsonPath): Knex.Raw
  /** The items of a JSON array, as a table with the one text column `item`. */
  jsonItems(knex: Knex, column: string, path: JsonPath): Knex.Raw
  /** Case folded and normalised as `fold()` in `db/fold.ts` does, in binary collation. */
  fold(knex: Knex, text: Knex.Raw): Knex.Raw
  /** A JSON column without one of its members. */
  jsonRemove(knex: Knex, column: string, key: string): Knex.Raw
  /** Locks the selected rows until the transaction ends, where writers run side by side. */
  forUpdate<Q extends Knex.QueryBuilder>(query: Q): Q
}
