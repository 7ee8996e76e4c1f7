import type { Knex } from 'knex'
import type { Topic } from './published-topics.ts'
import type { TableName } from './columns.ts'
import type { Dialect } from './dialect.ts'
import type { Away } from './errors.ts'

/**
 * The tools that a query is built with: Knex without a connection, and the expressions in which the dialects differ.
 */
export type Sql = { readonly knex: Knex; readonly dialect: Dialect }

/** A query compiled once for each dialect and prepared once for each connection. Made by `statement()`. */
export type Statement<Args, R> = {
  readonly build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw
  readonly types?: { readonly args: Args; readonly row: R }
}

export type QueryOptions = {
  /** More than fifty rows, a count or a deep offset: on SQLite it is offloaded to a reader process. */
  readonly heavy?: boolean
}

/** How a database would run a query: the text with its placeholders, and the steps in the database's own words. */
export type Explained = { readonly sql: string; readonly steps: readonly string[] }

/** Values of one row by column, in application form: booleans are booleans, JSON columns are values. */
export type Row = Readonly<Record<string, unknown>>

/** A handle for reading. Inside a write it reads the transaction's own changes. */
export interface ReadTx {
  readonly dialect: Dialect
  all<Args, R>(statement: Statement<Args, R>, args: Args, options?: QueryOptions): Promise<R[]>
  first<Args, R>(statement: Statement<Args, R>, args: Args): Promise<R | undefined>
  /** Builds and runs a query whose shape is known only at run time; it is prepared and cached by its SQL. */
  query<R>(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw, options?: QueryOptions): Promise<R[]>
  /** Plans a query without running it. */
  explain(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw, args?: unknown): Promise<Explained>
}

/** A handle inside a transaction. Code that holds one must not wait for the network. */
export interface Tx extends ReadTx {
  /** Runs a change and returns the number of rows that it affected. */
  run<Args>(statement: Statement<Args, never>, args: Args): Promise<number>
  change(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw): Promise<number>
  /** Inserts rows that all have the same columns. */
  insert(table: TableName, rows: readonly Row[]): Promise<void>
  /** Inserts rows, skipping those whose key exists; returns the inserted rows by their `returning` columns. */
  insertNew<R>(table: TableName, rows: readonly Row[], returning: readonly string[]): Promise<R[]>
  /** Updates rows by key: every row carries the key columns and the new values. */
  updateByKey(table: TableName, keys: readonly string[], rows: readonly Row[]): Promise<void>
  /** Takes a named lock until the transaction ends; false if another transaction holds it. */
  tryLock(name: string): Promise<boolean>
  /** Returns whether any transaction holds one of the named locks, without taking them. */
  isLocked(names: readonly string[]): Promise<boolean>
  /** Deletes rows by key columns, which may be part of the primary key. */
  deleteByKey(table: TableName, rows: readonly Row[]): Promise<void>
  /** Deletes rows by key columns and returns those that were there, by their `returning` columns. */
  deleteReturning<R>(table: TableName, rows: readonly Row[], returning: readonly string[]): Promise<R[]>
  /**
   * Runs work that may fail without failing the transaction: when it throws, the writes through its own handle are
   * undone. Attempts run one after another, and this handle accepts no statements while one is running.
   */
  attempt<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Publishes a topic to this process after the commit; see `Database.hear`. */
  announce(topic: Topic): void
}

/** A metric for `/metrics`: a gauge goes up and down, a counter only up. */
export type Figure = {
  readonly name: string
  readonly help: string
  readonly kind: 'gauge' | 'counter'
  readonly read: () => number
}

export interface Database {
  readonly dialect: Dialect
  /** Runs reads outside a transaction; they see only committed data. */
  readonly reader: ReadTx
  /** Runs `work` in a transaction and resolves after the commit. `work` may run again after a serialisation failure. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Returns whether the queue for this kind of work is full; the caller should then be told to retry later. */
  isCrowded(work: 'read' | 'write'): boolean
  /** Metrics of the database. */
  readonly figures: readonly Figure[]
  /**
   * Calls `listener` after each commit of this process that published the topic; the returned function unsubscribes.
   */
  hear(topic: Topic, listener: () => void): () => void
  /**
   * Resolves if the database answers and accepts writes, as far as is known; asks the database if the last write
   * failed.
   */
  ping(): Promise<void>
  /** Why it accepts no writes although it can be read; undefined if it accepts them, as far as is known. */
  readonly writesAway: Away | undefined
  /** Makes a write that changes nothing, to find out whether the database accepts writes. */
  probe(): Promise<void>
  close(): Promise<void>
}
