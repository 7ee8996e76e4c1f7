import type { Knex } from 'knex'
import type { Topic } from './published-topics.ts'
import type { TableName } from './columns.ts'
import type { Dialect } from './dialect.ts'
import type { Away } from './errors.ts'

/** What a query is built with: Knex without a connection, and the words in which the dialects differ. */
export type Sql = { readonly knex: Knex; readonly dialect: Dialect }

/** A query compiled once for each dialect and prepared once for each connection. Made by `statement()`. */
export type Statement<Args, R> = {
  readonly build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw
  readonly types?: { readonly args: Args; readonly row: R }
}

export type QueryOptions = {
  /** More than fifty rows, a count or a deep offset: on SQLite it runs in a reader process. */
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
  /** Builds and runs a query whose shape is known only now; its text is prepared and cached by its SQL. */
  query<R>(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw, options?: QueryOptions): Promise<R[]>
  /** Has a query planned and not run. */
  explain(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw, args?: unknown): Promise<Explained>
}

/** A handle inside a transaction. Nothing may wait for the network while holding one. */
export interface Tx extends ReadTx {
  /** Runs a change; the number of rows that it touched. */
  run<Args>(statement: Statement<Args, never>, args: Args): Promise<number>
  change(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw): Promise<number>
  /** Inserts rows that all have the same columns. */
  insert(table: TableName, rows: readonly Row[]): Promise<void>
  /** The same, leaving out rows whose key exists; the rows that were inserted, by their `returning` columns. */
  insertNew<R>(table: TableName, rows: readonly Row[], returning: readonly string[]): Promise<R[]>
  /** Updates rows by key: every row carries the key columns and the new values. */
  updateByKey(table: TableName, keys: readonly string[], rows: readonly Row[]): Promise<void>
  /** Takes a lock by name until the transaction ends; false if another transaction has it. */
  tryLock(name: string): Promise<boolean>
  /** Whether a transaction has one of some locks, which are left alone. */
  isLocked(names: readonly string[]): Promise<boolean>
  /** Deletes rows by key columns, which may be part of the primary key. */
  deleteByKey(table: TableName, rows: readonly Row[]): Promise<void>
  /** The same; the rows that were there, by their `returning` columns. */
  deleteReturning<R>(table: TableName, rows: readonly Row[], returning: readonly string[]): Promise<R[]>
  /**
   * Runs work that may fail without the transaction: what it wrote through its own handle goes when it throws. Attempts
   * run one after another, and this handle takes no statements while one is under way.
   */
  attempt<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Tells this process after the commit that there is something to look at; see `Database.hear`. */
  announce(topic: Topic): void
}

/** A number for `/metrics`: a gauge goes up and down, a counter only up. */
export type Figure = {
  readonly name: string
  readonly help: string
  readonly kind: 'gauge' | 'counter'
  readonly read: () => number
}

export interface Database {
  readonly dialect: Dialect
  /** Runs reads outside a transaction; they see only what is committed. */
  readonly reader: ReadTx
  /** Runs `work` in a transaction and resolves after the commit. `work` may run again after a serialisation failure. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Whether as many wait for this kind of work already as may; who asks then is better told to come again. */
  isCrowded(work: 'read' | 'write'): boolean
  /** What the database can tell of itself. */
  readonly figures: readonly Figure[]
  /** Calls `listener` after each commit of this process that announced the topic; the result ends that. */
  hear(topic: Topic, listener: () => void): () => void
  /** Resolves where the database answers and takes changes, as far as is known; asks it where the last change has failed. */
  ping(): Promise<void>
  /** Why it takes no changes, though it may be read; undefined where it does, as far as is known. */
  readonly writesAway: Away | undefined
  /** Makes a change that changes nothing, so that it is known whether the database takes any. */
  probe(): Promise<void>
  close(): Promise<void>
}
