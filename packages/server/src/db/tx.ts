import type { Knex } from 'knex'
import type { Caches } from '../lib/caches.ts'
import type { ColumnOf, NewRowOf, RowOf, TableName } from './columns.ts'
import type { Dialect } from './dialect.ts'
import type { Away } from './errors.ts'
import type { Executor, Query, RowChange, StateRequest, WriteExecutor } from './executor.ts'
import type { Message, Reach, Topic } from './published-topics.ts'
import type { Sql } from './sql.ts'
import { compile, type Statement } from './statement.ts'
import { promised } from '../lib/promises.ts'
type Build = (sql: Sql) => Knex.QueryBuilder | Knex.Raw

export type QueryOptions = Pick<Query, 'heavy'>

/** A handle for reading. Inside a write it reads the transaction's own changes. */
export class ReadTx<E extends Executor = Executor> {
  readonly executor: E

  constructor(executor: E) {
    this.executor = executor
  }

  get dialect(): Dialect {
    return this.executor.sql.dialect
  }

  /** Returns whether a replica may serve the reads; they use no cache then that was filled from the primary. */
  get isReplica(): boolean {
    return this.executor.isReplica === true
  }

  /** Number of nodes of a distributed database that did not answer, whose rows are left out across workspaces. */
  get nodesLost(): number {
    return this.executor.nodes?.lost ?? 0
  }

  all<Args, R>(statement: Statement<Args, R>, args: Args, options?: QueryOptions): Promise<R[]> {
    return sendStatement(this.executor, statement, args, 'rows', options)
  }

  first<Args, R>(statement: Statement<Args, R>, args: Args): Promise<R | undefined> {
    return sendStatement(this.executor, statement, args, 'row')
  }

  /**
   * Runs work whose reads, through the handle that it gets, all see one state of the database. It may run more than
   * once.
   */
  inOneState<T>(work: (tx: ReadTx) => Promise<T>, request?: Pick<StateRequest, 'isLong'>): Promise<T> {
    return this.executor.inOneState((reads) => work(new ReadTx(reads)), request)
  }

  /** Builds and runs a query whose shape is known only at run time; it is prepared and cached by its SQL. */
  query<R>(build: Build, options?: QueryOptions): Promise<R[]> {
    return sendBuilt<R, 'rows'>(this.executor, build, 'rows', options)
  }
}

/** A handle inside a transaction. Code that holds one must not wait for the network. */
export class Tx extends ReadTx<WriteExecutor> {
  /** Values that this transaction has read ahead: sent with the lock of its records, a query costs no round trip. */
  get caches(): Caches {
    return this.executor.caches
  }

  /** Runs a change and returns the number of rows that it affected. */
  run<Args>(statement: Statement<Args, never>, args: Args): Promise<number> {
    return sendStatement(this.executor, statement, args, 'count')
  }

  change(build: Build): Promise<number> {
    return sendBuilt(this.executor, build, 'count')
  }

  /**
   * Inserts rows that all have the same columns. Like every change that returns nothing it may be sent later, with the
   * next query or the commit; then its failure is theirs.
   */
  insert<T extends TableName>(table: T, rows: readonly NewRowOf<T>[]): Promise<void> {
    return this.changeRows({ change: 'insert', table, rows })
  }

  /** Inserts rows, skipping those whose key exists; returns the inserted rows by their `returning` columns. */
  insertNew<T extends TableName, C extends ColumnOf<T>>(
    table: T,
    rows: readonly NewRowOf<T>[],
    returning: readonly C[],
  ): Promise<Pick<RowOf<T>, C>[]> {
    return this.changeRows({ change: 'insertNew', table, rows, returning })
  }

  /** Updates rows by key: every row carries the key columns and the new values. */
  updateByKey<T extends TableName>(
    table: T,
    keys: readonly ColumnOf<T>[],
    rows: readonly Partial<RowOf<T>>[],
  ): Promise<void> {
    return this.changeRows({ change: 'update', table, keys, rows })
  }

  /** Deletes rows by key columns, which may be part of the primary key. */
  deleteByKey<T extends TableName>(table: T, rows: readonly Partial<RowOf<T>>[]): Promise<void> {
    return this.changeRows({ change: 'delete', table, rows })
  }

  /** Deletes rows by key columns and returns those that were there, by their `returning` columns. */
  deleteReturning<T extends TableName, C extends ColumnOf<T>>(
    table: T,
    rows: readonly Partial<RowOf<T>>[],
    returning: readonly C[],
  ): Promise<Pick<RowOf<T>, C>[]> {
    return this.changeRows({ change: 'delete', table, rows, returning })
  }

  /**
   * Takes a named lock until the transaction ends; false if another transaction holds it. SQLite has one writer, so a
   * transaction has every lock.
   */
  async tryLock(name: string): Promise<boolean> {
    const { locks } = this.dialect
    return locks === undefined || (await this.#finds(locks.take, [name]))
  }

  /** Takes a named lock until the transaction ends, and waits while another transaction holds it. */
  async lock(name: string): Promise<void> {
    const { locks } = this.dialect
    if (locks !== undefined) await this.#finds(locks.wait, [name])
  }

  /** Returns whether any transaction holds one of the named locks, without taking them. */
  async isLocked(names: readonly string[]): Promise<boolean> {
    const { locks } = this.dialect
    return locks !== undefined && (await this.#finds(locks.find, [names]))
  }

  /**
   * Runs work that may fail without failing the transaction: when it throws, the writes through its own handle are
   * undone. Attempts run one after another, and this handle accepts no statements while one is running.
   */
  attempt<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.executor.attempt((inner) => work(new Tx(inner)))
  }

  /**
   * Asks a question again and again, each time behind the statements that are sent together: it costs no round trip,
   * and the last answer is of a moment when everything has been read and every lock awaited, except for what the commit
   * itself waits for. SQLite has one writer: what is read does not change during a transaction, and is asked once.
   */
  askBehind(ask: (tx: ReadTx) => void): void {
    this.executor.askBehind((reader) => ask(new ReadTx(reader)))
  }

  /**
   * Returns whether nobody else was seen at work on the database for a fifth of a second: on Postgres in another
   * session, looked for now and whenever this was asked, on SQLite for a workspace or in a transaction. Batches of this
   * process (`isDoneAgain`) do not count on SQLite, nor do sessions on Postgres that its role cannot see.
   */
  isAlone(): Promise<boolean> {
    return this.executor.isAlone()
  }

  /** Publishes a topic to this process after the commit; see `Database.subscribe`. */
  publish(topic: Topic): void {
    this.executor.published.add(topic)
  }

  async #finds(text: string, values: unknown[]): Promise<boolean> {
    return (await this.executor.send({ text, values, answer: 'row' })) !== undefined
  }

  /** Sends a change whose types the caller has checked: the executor knows no types of rows. */
  changeRows<R>(change: RowChange): Promise<R> {
    return (change.rows.length === 0 ? Promise.resolve([]) : this.executor.send(change)) as Promise<R>
  }
}

/** Results of a query, whose rows have the type of the statement. */
type Answers<R> = { readonly rows: R[]; readonly row: R | undefined; readonly count: number }

function sendStatement<Args, R, A extends keyof Answers<R>>(
  executor: Executor,
  statement: Statement<Args, R>,
  args: Args,
  answer: A,
  options?: QueryOptions,
): Promise<Answers<R>[A]> {
  const { values, ...compiled } = executor.compiled(statement, args)
  return executor.send({ ...compiled, values: values(args), answer, heavy: options?.heavy }) as Promise<Answers<R>[A]>
}

/** A build that throws rejects the promise, since the caller may await it together with others. */
const sendBuilt = <R, A extends keyof Answers<R>>(
  executor: Executor,
  build: Build,
  answer: A,
  options?: QueryOptions,
): Promise<Answers<R>[A]> =>
  promised(() => {
    const { text, values } = compile(build(executor.sql))
    const query: Query = { text, values: values(undefined), answer, heavy: options?.heavy, byValues: true }
    return executor.send(query) as Promise<Answers<R>[A]>
  })

/** A metric for `/metrics`: a gauge goes up and down, a counter only up. */
export type Figure = {
  readonly name: string
  readonly help: string
  readonly kind: 'gauge' | 'counter'
  readonly read: () => number
}

/** Receives the position of a commit in the log of the database. */
export type OnPosition = (position: string) => void

/** Circumstances of a transaction. */
export type WriteRequest = {
  /** The workspace that writes, as in a query: turns for writing go round between them. */
  readonly party?: string | undefined
  /** Receives the position of the commit where there are replicas. */
  readonly onPosition?: OnPosition
  /** Statements that do not depend on their values are planned once: they go by keys. */
  readonly plansOnce?: boolean
  /**
   * A commit that a crash of the database loses is done again: on Postgres it does not wait for the disk. What is
   * committed later and waits is on the disk only together with it.
   */
  readonly isDoneAgain?: boolean
}

/** The requirements of an operation on the replica that serves its reads. */
export type ReplicaRequest = {
  /** Its caller sees no state older than one that they have seen or written. */
  readonly credential: string
  /** The position that the caller has been given by another node. */
  readonly position: string | undefined
  /** Checked on the replica. */
  readonly isFit: (tx: ReadTx) => Promise<boolean>
}

/** The reads of one operation, of a replica or of the primary. */
export type OperationReads = {
  readonly tx: ReadTx
  /** From now on the primary serves them. */
  readonly leave: () => void
}

export type ReplicaStanding = { readonly name: string; readonly state: ReplicaState; readonly lagMs: number }

/** A replica that is not `in use` serves nothing. */
export type ReplicaState = 'unknown' | 'in use' | 'behind' | 'away' | 'no standby' | 'of another database'

/** Copies of the database that follow it closely. */
export interface ReadReplicas {
  reads(request: ReplicaRequest): OperationReads
  /** Notes what a credential has written: the position of its commit, or everything until now. */
  note(credential: string, position: string | undefined): void
  /** Finds out which can be used. */
  look(): Promise<void>
  /** The state of each, `in use` or why it is not, and how far it was behind when it was last used. */
  readonly states: readonly ReplicaStanding[]
}

export interface Database {
  readonly dialect: Dialect
  /** Replicas that serve reads; undefined where there are none. */
  readonly replicas: ReadReplicas | undefined
  /** Runs reads outside a transaction; they see only committed data. */
  readonly reader: ReadTx
  /**
   * Runs `work` in a transaction and resolves after the commit. `work` may run again after a serialisation failure.
   */
  write<T>(work: (tx: Tx) => Promise<T>, request?: WriteRequest): Promise<T>
  /** Returns whether the queue for this kind of work is full; the caller should then be told to retry later. */
  isCrowded(work: 'read' | 'write'): boolean
  /** Metrics of the database. */
  readonly figures: readonly Figure[]
  /**
   * Calls `listener` after each commit that published the topic, of this process or, as far as the news comes through,
   * of any; the returned function unsubscribes.
   */
  subscribe(topic: Topic, listener: () => void, reach?: Reach): () => void
  /** Sends a message to the other processes on this database; it may get lost, and SQLite has no others. */
  send(message: Message): void
  /** Calls `listener` for the messages of other processes with a name. */
  receive(name: string, listener: (data: unknown) => void): void
  /** True if what other processes publish comes through, as far as is known; else they have to be watched closely. */
  readonly hearsOthers: boolean
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
