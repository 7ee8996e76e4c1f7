import Driver from 'better-sqlite3'
import { LRUCache } from 'lru-cache'
import { memberOf } from '../lib/guards.ts'
import { isJson, kindOfName } from './column-kinds.ts'
import { dayFunction } from './day-in.ts'
import { DatabaseUnavailable } from './errors.ts'
import { phoneForm, fold } from './fold.ts'
import { RowBytes } from './row-bytes.ts'
import { ofSqlite } from './sqlite-errors.ts'
import { isUnwritable, refuseUnreadable } from './sqlite-read-only.ts'

/** Prepared statements kept for each connection; list queries have few shapes, so this is rarely reached. */
const preparedMax = 500

/** The time for which opening and reading may wait for another process. */
const busyMs = 5000

/** Pages of the log from which on SQLite itself copies them, within a commit. */
export const logPagesMax = 4000

/** The size that the write-ahead log keeps on disk when it begins anew, which is copied into the file (0015). */
const logBytesMax = 1000 * 8192

type Decoder = (row: Record<string, unknown>) => void
type Prepared = {
  readonly statement: Driver.Statement<unknown[], Record<string, unknown>>
  readonly decode: Decoder | undefined
}

/** A synchronous SQLite connection with Kontor's settings, prepared statements and decoded columns. */
export class SqliteConnection {
  readonly driver: Driver.Database
  /** Why its file cannot be read or written as a database, once a statement has found that out. */
  damage: DatabaseUnavailable | undefined
  readonly #prepared = new LRUCache<string, Prepared>({ max: preparedMax })

  constructor(path: string, options: { readonly readonly?: boolean } = {}) {
    this.driver = new Driver(path, { readonly: options.readonly ?? false, timeout: busyMs })
    if (options.readonly !== true) this.#prepareForChanges(path)
    this.driver.pragma('mmap_size = 268435456')
    // Beyond the memory map each page is read by a system call: a list of a large workspace and what it includes touch
    // 200.
    this.driver.pragma('cache_size = -16384')
    this.driver.pragma('automatic_index = OFF')
    this.driver.function('kontor_fold', { deterministic: true }, (text) =>
      typeof text === 'string' ? fold(text) : null,
    )
    this.driver.function('kontor_phone', { deterministic: true }, (text) =>
      typeof text === 'string' ? phoneForm(text) : null,
    )
    this.driver.function('kontor_day', { deterministic: true }, dayFunction())
  }

  all(text: string, values: readonly unknown[], bytes = new RowBytes()): Record<string, unknown>[] {
    const { statement, decode } = this.#prepare(text)
    const rows = this.#told(() => counted(statement.iterate(...values.map(bind)), bytes))
    if (decode !== undefined) rows.forEach(decode)
    return rows
  }

  first(text: string, values: readonly unknown[]): Record<string, unknown> | undefined {
    const { statement, decode } = this.#prepare(text)
    const row = this.#told(() => statement.get(...values.map(bind)))
    if (row !== undefined) decode?.(row)
    return row
  }

  /** Returns the number of rows that the statement changed. */
  run(text: string, values: readonly unknown[]): number {
    const { statement } = this.#prepare(text)
    return this.#told(() => statement.run(...values.map(bind)).changes)
  }

  exec(text: string): void {
    this.#told(() => this.driver.exec(text))
  }

  close(): void {
    this.driver.close()
  }

  /**
   * Leaves the write-ahead log, so that the file can be read later where nothing can be written beside it (0015).
   * Another process that has the file open prevents it: the last one leaves.
   */
  leaveLog(): void {
    try {
      this.driver.pragma('journal_mode = DELETE')
    } catch {
      // It stays in the log: all that is lost is reading it in a read-only folder.
    }
  }

  #prepareForChanges(path: string): void {
    try {
      if (this.driver.pragma('page_count', { simple: true }) === 0) {
        // Both take effect only on an empty file, before the journal mode is set. On an existing file they would wait
        // for its writer.
        this.driver.pragma('page_size = 8192')
        this.driver.pragma('auto_vacuum = INCREMENTAL')
      }
      this.driver.pragma('journal_mode = WAL')
      this.driver.pragma('synchronous = FULL')
      // By then a reader process has usually copied nearly all of it (docs/decisions/0015); so many frames still have
      // one index.
      this.driver.pragma(`wal_autocheckpoint = ${logPagesMax}`)
      // A log that one long read has made long is cut when it begins anew.
      this.driver.pragma(`journal_size_limit = ${logBytesMax}`)
    } catch (error) {
      if (!isUnwritable(error)) throw error
      refuseUnreadable(this.driver, path)
      // It takes no changes before the next start, even if the folder is writable again: readers see the old mode.
      this.driver.pragma('query_only = ON')
    }
    // From here on writers implement their own waiting, since SQLite's would block the event loop.
    this.driver.pragma('busy_timeout = 0')
  }

  #told<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      const known = ofSqlite(error)
      if (known instanceof DatabaseUnavailable && known.away === 'damaged') this.damage = known
      throw known
    }
  }

  #prepare(text: string): Prepared {
    let prepared = this.#prepared.get(text)
    if (prepared === undefined) {
      const statement = this.#told(() => this.driver.prepare<unknown[], Record<string, unknown>>(text))
      prepared = {
        statement,
        decode: statement.reader ? decoderOf(statement.columns().map((column) => column.name)) : undefined,
      }
      this.#prepared.set(text, prepared)
    }
    return prepared
  }
}

/** Collects rows, unless they are too large; `all` of the driver would read them to the last. */
function counted(found: Iterable<Record<string, unknown>>, bytes: RowBytes): Record<string, unknown>[] {
  const rows: Record<string, unknown>[] = []
  for (const row of found) {
    for (const name in row) {
      const value = row[name]
      if (typeof value === 'string') bytes.add(value.length)
    }
    rows.push(row)
  }
  return rows
}

const bind = (value: unknown): unknown =>
  typeof value === 'boolean'
    ? Number(value)
    : value === undefined
      ? null
      : typeof value === 'object' && value !== null
        ? JSON.stringify(value)
        : value

/** Decodes JSON text and 0/1 into values, in place; undefined if a result has no such column. */
function decoderOf(names: readonly string[]): Decoder | undefined {
  const json = names.filter((name) => isJson(kindOfName(name)))
  const flags = names.filter((name) => kindOfName(name) === 'boolean')
  if (json.length + flags.length === 0) return undefined
  return (row) => {
    for (const name of json) if (typeof row[name] === 'string') row[name] = JSON.parse(row[name])
    for (const name of flags) if (row[name] !== null) row[name] = row[name] === 1
  }
}

/** Returns whether an error says that another process holds a lock that the statement needs. */
export const isBusy = (error: unknown): boolean => {
  const code = memberOf(error, 'code')
  return typeof code === 'string' && (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
}
