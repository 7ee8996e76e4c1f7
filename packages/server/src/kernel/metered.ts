import type { Database, Explained, QueryOptions, ReadTx, Row, Statement, Tx } from '../db/tx.ts'
import type { Usage } from './usage.ts'

type Build = Parameters<ReadTx['query']>[0]
type Topic = Parameters<Tx['announce']>[0]
type Table = Parameters<Tx['insert']>[0]

/** A read handle that counts its statements for an operation. */
export class MeteredReads implements ReadTx {
  readonly dialect: ReadTx['dialect']
  readonly #tx: ReadTx
  readonly #usage: Usage
  #running = 0
  #sinceMs = 0

  constructor(tx: ReadTx, usage: Usage) {
    this.dialect = tx.dialect
    this.#tx = tx
    this.#usage = usage
  }

  all<Args, R>(statement: Statement<Args, R>, args: Args, options?: QueryOptions): Promise<R[]> {
    this.begin()
    return this.ended(this.#tx.all(statement, args, options))
  }

  first<Args, R>(statement: Statement<Args, R>, args: Args): Promise<R | undefined> {
    this.begin()
    return this.ended(this.#tx.first(statement, args))
  }

  query<R>(build: Build, options?: QueryOptions): Promise<R[]> {
    this.begin()
    return this.ended(this.#tx.query(build, options))
  }

  explain(build: Build, args?: unknown): Promise<Explained> {
    return this.#tx.explain(build, args)
  }

  /** On SQLite a statement runs during the call, so the clock starts before it. */
  protected begin(): void {
    this.#usage.statements++
    if (this.#running++ === 0) this.#sinceMs = performance.now()
  }

  protected ended<T>(result: Promise<T>): Promise<T> {
    result.then(this.#end, this.#end)
    return result
  }

  readonly #end = (): void => {
    if (--this.#running === 0) this.#usage.statementMs += performance.now() - this.#sinceMs
  }
}

/** A transaction handle that counts its statements. */
class MeteredTx extends MeteredReads implements Tx {
  readonly #tx: Tx
  readonly #usage: Usage

  constructor(tx: Tx, usage: Usage) {
    super(tx, usage)
    this.#tx = tx
    this.#usage = usage
  }

  attempt<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#tx.attempt((tx) => work(new MeteredTx(tx, this.#usage)))
  }

  run<Args>(statement: Statement<Args, never>, args: Args): Promise<number> {
    this.begin()
    return this.ended(this.#tx.run(statement, args))
  }

  change(build: Build): Promise<number> {
    this.begin()
    return this.ended(this.#tx.change(build))
  }

  insert(table: Table, rows: readonly Row[]): Promise<void> {
    this.begin()
    return this.ended(this.#tx.insert(table, rows))
  }

  insertNew<R>(table: Table, rows: readonly Row[], returning: readonly string[]): Promise<R[]> {
    this.begin()
    return this.ended(this.#tx.insertNew(table, rows, returning))
  }

  updateByKey(table: Table, keys: readonly string[], rows: readonly Row[]): Promise<void> {
    this.begin()
    return this.ended(this.#tx.updateByKey(table, keys, rows))
  }

  tryLock(name: string): Promise<boolean> {
    this.begin()
    return this.ended(this.#tx.tryLock(name))
  }

  announce(topic: Topic): void {
    this.#tx.announce(topic)
  }

  isLocked(names: readonly string[]): Promise<boolean> {
    this.begin()
    return this.ended(this.#tx.isLocked(names))
  }

  deleteByKey(table: Table, rows: readonly Row[]): Promise<void> {
    this.begin()
    return this.ended(this.#tx.deleteByKey(table, rows))
  }

  deleteReturning<R>(table: Table, rows: readonly Row[], returning: readonly string[]): Promise<R[]> {
    this.begin()
    return this.ended(this.#tx.deleteReturning<R>(table, rows, returning))
  }
}

/** Runs a transaction and measures its parts: the wait before it, its statements, its commit. */
export async function meteredWrite<T>(database: Database, usage: Usage, work: (tx: Tx) => Promise<T>): Promise<T> {
  let sinceMs = performance.now()
  const value = await database.write(async (tx) => {
    usage.waitMs += performance.now() - sinceMs
    try {
      return await work(new MeteredTx(tx, usage))
    } finally {
      sinceMs = performance.now()
    }
  })
  usage.commitMs += performance.now() - sinceMs
  return value
}
