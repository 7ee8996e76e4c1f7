import type { Caches } from '../lib/caches.ts'
import type { TableName } from './columns.ts'
import type { NodeWatch } from './distribution/node-watch.ts'
import type { Topic } from './published-topics.ts'
import type { Sql } from './sql.ts'
import type { StatementCache } from './statement.ts'

/** Values of one row by column, in application form: booleans are booleans, JSON columns are values. */
export type Row = Readonly<Record<string, unknown>>

/** A statement on its way to the database, with the placeholders of its dialect. */
export type Query = {
  readonly text: string
  readonly values: unknown[]
  /** The result of the promise: all rows, the first row, or the number of affected rows. */
  readonly answer: 'rows' | 'row' | 'count'
  /**
   * More than fifty rows, a count or a deep offset: on SQLite it is offloaded to a reader process. `scan` if it reads
   * all records of an object: of those, fewer are under way at once.
   */
  readonly heavy?: boolean | 'scan' | undefined
  /** The workspace that asks: turns of heavy reads go round between them. Without one it is the server itself. */
  readonly party?: string | undefined
  /** Its values may decide on its plan: its text was made at run time, or one of them is a list. */
  readonly byValues?: boolean
}

/** Rows of one table on their way to the database; all have the same columns. `returning` makes it answer with rows. */
export type RowChange = {
  readonly change: 'insert' | 'insertNew' | 'update' | 'delete'
  readonly table: TableName
  readonly rows: readonly Row[]
  /** The key columns of an update. */
  readonly keys?: readonly string[]
  readonly returning?: readonly string[]
}

/** The options of reads of one state. */
export type StateRequest = {
  /** The workspace that asks, as in a query. */
  readonly party?: string | undefined
  /** The work reads for minutes: it gets a transaction from the beginning, for which no other read waits. */
  readonly isLong?: boolean
}

/** The part of a database behind a read handle. To meter, record or throttle statements is to wrap `send`. */
export interface Executor {
  /** Its reads may be of a state that is a moment old: they go by nothing that was read elsewhere. */
  readonly isReplica?: boolean
  readonly sql: Sql
  readonly compiled: StatementCache
  /** The nodes of a database that may be distributed. */
  readonly nodes?: NodeWatch
  send(query: Query): Promise<unknown>
  /**
   * Runs work whose reads all see one state of the database. It may run more than once, and what it sends through
   * another executor sees later states. A transaction that writes has its own view of the database, and keeps it.
   */
  inOneState<T>(work: (reads: Executor) => Promise<T>, request?: StateRequest): Promise<T>
}

/** An executor whose reads see one state already, so that there is none to be begun. */
export function readsOfOneState(executor: Omit<Executor, 'inOneState'>): Executor {
  const reads: Executor = { ...executor, inOneState: (work) => work(reads) }
  return reads
}

/** The part of a database behind the handle of a transaction. */
export interface WriteExecutor extends Executor {
  /** The topics to publish after the commit. */
  readonly published: Set<Topic>
  /** Values that the transaction has read ahead; they end with it. */
  readonly caches: Caches
  send(command: Query | RowChange): Promise<unknown>
  /**
   * Has a question sent behind all statements that go to the database at one time, except behind the commit: what it
   * reads is of a moment at which they are answered, whatever they waited for.
   */
  askBehind(ask: (reader: Executor) => void): void
  /** As `Tx.isAlone`. */
  isAlone(): Promise<boolean>
  /** Runs work inside a savepoint, with an executor of its own. */
  attempt<T>(work: (inner: WriteExecutor) => Promise<T>): Promise<T>
}
