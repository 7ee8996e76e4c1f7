import knexFactory from 'knex'
import { Caches } from '../lib/caches.ts'
import { PublishedTopics, type Topic } from './published-topics.ts'
import type { Dialect } from './dialect.ts'
import { DatabaseUnavailable, type Away } from './errors.ts'
import type { Executor, Query } from './executor.ts'
import { OthersAtWork } from './others-at-work.ts'
import { ReaderPool } from './readers/pool.ts'
import { Checkpoints, lockSqliteFile, requireUnserved, type FileLock } from './sqlite-file.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { findUnwritable } from './sqlite-read-only.ts'
import { sqliteReads, sqliteWrites, type Transaction } from './sqlite-executor.ts'
import { SqliteSnapshots } from './sqlite-snapshots.ts'
import { SqliteWriter } from './sqlite-writer.ts'
import { sqlOf } from './sql.ts'
import { sqliteDialect } from './sqlite.ts'
import { statementCache } from './statement.ts'
import { ReadTx, Tx, type Database, type Figure, type WriteRequest } from './tx.ts'
import { unlessAway, WriteHealth } from './write-health.ts'

export type SqliteOptions = { readonly path: string; readonly statementTimeoutMs: number; readonly readersMax: number }

/**
 * SQLite in this process: one writer with group commit, one connection for light reads; offloaded reads run in reader
 * processes.
 */
export class SqliteDatabase implements Database {
  readonly replicas = undefined
  readonly dialect: Dialect
  readonly reader: ReadTx
  readonly #path: string
  readonly #write: SqliteConnection
  readonly #read: SqliteConnection
  readonly #pool: ReaderPool
  readonly #writer: SqliteWriter
  readonly #subscriptions = new PublishedTopics()
  readonly #health = new WriteHealth()
  #lock: FileLock | undefined
  readonly #others = new OthersAtWork()
  readonly #txOf: (transaction: Pick<Transaction, 'state' | 'portions' | 'published'>) => Tx

  constructor(options: SqliteOptions) {
    const sql = sqlOf(knexFactory({ client: 'better-sqlite3', useNullAsDefault: true }), sqliteDialect)
    this.dialect = sql.dialect
    this.#path = options.path
    this.#write = new SqliteConnection(options.path)
    this.#read = new SqliteConnection(options.path, { readonly: true })
    this.#pool = new ReaderPool({
      path: options.path,
      readersMax: options.readersMax,
      timeoutMs: options.statementTimeoutMs,
    })
    const checkpoints = new Checkpoints(this.#write, this.#pool, (isCopying) => this.#lock?.announce(isCopying))
    this.#writer = new SqliteWriter(this.#write, checkpoints.afterCommit)
    const compiler = { sql, compiled: statementCache(sql) }
    this.#txOf = (transaction) =>
      new Tx(
        sqliteWrites(compiler, {
          ...transaction,
          connection: this.#write,
          caches: new Caches(),
          isAlone: () => !this.#pool.isReading && this.#others.areGone,
        }),
      )
    const reads = this.#watched(sqliteReads(compiler, this.#read, (query) => this.#pool.read(query)))
    const snapshots = new SqliteSnapshots({ compiler, connection: this.#read, pool: this.#pool, reads })
    this.reader = new ReadTx({ ...reads, inOneState: (work, request) => snapshots.run(work, request) })
  }

  /** The connection for migrations; nothing else uses it while they run. */
  get migrationConnection(): SqliteConnection {
    return this.#write
  }

  async write<T>(work: (tx: Tx) => Promise<T>, { party, isDoneAgain }: WriteRequest = {}): Promise<T> {
    this.#requireOwnFile()
    // Batches make room for one another as it is.
    if (isDoneAgain !== true) this.#others.see()
    const published = new Set<Topic>()
    const value = await this.#health.noting(() =>
      this.#writer.write((state, portions) => work(this.#txOf({ state, portions, published })), party),
    )
    this.#subscriptions.publish(published)
    return value
  }

  /** Reads of the server itself do not count: it looks after its jobs every second. */
  #watched(reads: Omit<Executor, 'inOneState'>): Omit<Executor, 'inOneState'> {
    const send = (query: Query): Promise<unknown> => {
      if (query.party !== undefined) this.#others.see()
      return reads.send(query)
    }
    return { ...reads, send }
  }

  subscribe(topic: Topic, listener: () => void): () => void {
    return this.#subscriptions.subscribe(topic, listener)
  }

  /** One process has a SQLite database: nobody else receives it. */
  send(): void {}

  receive(): void {}

  /** Always true: commands of an operator may write to the file beside this process. */
  get hearsOthers(): boolean {
    return true
  }

  isCrowded(work: 'read' | 'write'): boolean {
    return work === 'write' && this.#writer.isCrowded
  }

  get figures(): Figure[] {
    return [...this.#writer.figures, ...this.#pool.figures]
  }

  async ping(): Promise<void> {
    this.#requireOwnFile()
    // It reads the file, as `select 1` does not.
    this.#read.all('select count(*) as tables from sqlite_schema', [])
    const damage = this.#read.damage ?? this.#write.damage
    if (damage !== undefined) throw damage
    await this.#health.assert(() => this.probe())
  }

  get writesAway(): Away | undefined {
    return this.#health.away
  }

  /**
   * Writes a number in the file's header that nothing reads: it takes one page of the log, like the smallest of
   * changes.
   */
  async probe(): Promise<void> {
    const change = async (): Promise<void> => this.#write.exec(`pragma user_version = ${Math.trunc(performance.now())}`)
    await this.#health.noting(() => this.#writer.write(change)).catch(unlessAway)
  }

  /** Takes the file for one server, until the database is closed; throws `DatabaseRefused` where another has it. */
  lock(nowMs: () => number): void {
    this.#lock = lockSqliteFile(this.#path, nowMs)
  }

  /** Throws `DatabaseRefused` where a server has the file. */
  requireUnserved(): void {
    requireUnserved(this.#path)
  }

  /** Throws once the file was replaced or deleted: changes would be acknowledged, and be lost with the process. */
  #requireOwnFile(): void {
    if (this.#lock?.isReplaced() === true) throw new DatabaseUnavailable('replaced')
  }

  /** Returns what an operator made read-only: the file or its folder. */
  get unwritable(): string | undefined {
    return findUnwritable(this.#path)
  }

  /** Returns the damage that SQLite finds by reading the complete file. */
  damage(): string | undefined {
    const [found] = this.#read.all('pragma quick_check(1)', [])
    const text = String(found?.['quick_check'])
    return text === 'ok' ? undefined : text
  }

  async close(): Promise<void> {
    await this.#writer.drain()
    await this.#pool.close()
    this.#read.close()
    // Leaving the log copies its pages.
    this.#lock?.announce(true)
    this.#write.leaveLog()
    this.#write.close()
    this.#lock?.release()
  }
}
