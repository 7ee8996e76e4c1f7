import type { Knex } from 'knex'
import type { Topic } from './published-topics.ts'
import { encode, kindOf, type TableName } from './columns.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { indexGrams } from './sqlite-grams.ts'
import { sqliteDialect } from './sqlite.ts'
import { compile, type Compiled, type statementCache } from './statement.ts'
import { promised, type TransactionState } from './transaction-state.ts'
import type { Explained, QueryOptions, ReadTx, Row, Sql, Statement, Tx } from './tx.ts'

/** Runs a read in a reader process. */
export type HeavyReader = (text: string, values: unknown[]) => Promise<unknown[]>

export class SqliteReadTx implements ReadTx {
  readonly dialect = sqliteDialect
  protected readonly connection: SqliteConnection
  protected readonly sql: Sql
  protected readonly compiled: ReturnType<typeof statementCache>
  readonly #heavy: HeavyReader | undefined

  constructor(
    connection: SqliteConnection,
    sql: Sql,
    compiled: ReturnType<typeof statementCache>,
    heavy?: HeavyReader,
  ) {
    this.connection = connection
    this.sql = sql
    this.compiled = compiled
    this.#heavy = heavy
  }

  all<Args, R>(statement: Statement<Args, R>, args: Args, options?: QueryOptions): Promise<R[]> {
    return this.track(() => this.#select<R>(this.compiled(statement as Statement<never, never>), args, options))
  }

  first<Args, R>(statement: Statement<Args, R>, args: Args): Promise<R | undefined> {
    return this.track(() => {
      const { text, values } = this.compiled(statement as Statement<never, never>)
      return this.connection.first(text, values(args)) as R | undefined
    })
  }

  query<R>(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw, options?: QueryOptions): Promise<R[]> {
    return this.track(() => this.#select<R>(compile(build(this.sql)), undefined, options))
  }

  explain(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw, args?: unknown): Promise<Explained> {
    return this.track(() => {
      const { text, values } = compile(build(this.sql))
      const rows = this.connection.all(`explain query plan ${text}`, values(args)) as {
        id: number
        parent: number
        detail: string
      }[]
      const depths = new Map<number, number>([[0, -1]])
      const steps = rows.map(({ id, parent, detail }) => {
        const depth = (depths.get(parent) ?? -1) + 1
        depths.set(id, depth)
        return `${'  '.repeat(depth)}${detail}`
      })
      return { sql: text, steps }
    })
  }

  protected track<T>(work: () => T | Promise<T>): Promise<T> {
    return promised(work)
  }

  #select<R>({ text, values }: Compiled, args: unknown, options: QueryOptions | undefined): R[] | Promise<R[]> {
    if (options?.heavy === true && this.#heavy !== undefined) return this.#heavy(text, values(args)) as Promise<R[]>
    return this.connection.all(text, values(args)) as R[]
  }
}

export class SqliteTx extends SqliteReadTx implements Tx {
  readonly #state: TransactionState
  readonly #announced: Set<Topic>

  constructor(
    connection: SqliteConnection,
    sql: Sql,
    compiled: ReturnType<typeof statementCache>,
    state: TransactionState,
    announced: Set<Topic>,
  ) {
    super(connection, sql, compiled)
    this.#state = state
    this.#announced = announced
  }

  run<Args>(statement: Statement<Args, never>, args: Args): Promise<number> {
    return this.track(() => {
      const { text, values } = this.compiled(statement as Statement<never, never>)
      return this.connection.run(text, values(args))
    })
  }

  change(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw): Promise<number> {
    return this.track(() => {
      const { text, values } = compile(build(this.sql))
      return this.connection.run(text, values(undefined))
    })
  }

  insert(table: TableName, rows: readonly Row[]): Promise<void> {
    return this.track(() => {
      this.#each(table, rows, (columns) => insertInto(table, columns))
      if (table === 'field_gram' && rows.length > 0) indexGrams(this.connection)
    })
  }

  insertNew<R>(table: TableName, rows: readonly Row[], returning: readonly string[]): Promise<R[]> {
    return this.track(() => {
      const columns = Object.keys(rows[0] ?? {})
      const text = `${insertInto(table, columns)} on conflict do nothing`
      // The result of RETURNING is known here, and SQLite would build a table for it.
      const inserted = rows.filter((row) => this.connection.run(text, valuesOf(table, columns, row)) > 0)
      if (table === 'field_gram' && inserted.length > 0) indexGrams(this.connection)
      return inserted.map((row) => Object.fromEntries(returning.map((column) => [column, row[column] ?? null]))) as R[]
    })
  }

  updateByKey(table: TableName, keys: readonly string[], rows: readonly Row[]): Promise<void> {
    return this.track(() => {
      const changed = Object.keys(rows[0] ?? {}).filter((column) => !keys.includes(column))
      const text = `update ${table} set ${changed.map((column) => `${column} = ?`).join(', ')} where ${equal(keys)}`
      for (const row of rows) this.connection.run(text, valuesOf(table, [...changed, ...keys], row))
    })
  }

  deleteByKey(table: TableName, rows: readonly Row[]): Promise<void> {
    return this.track(() => this.#each(table, rows, (columns) => `delete from ${table} where ${equal(columns)}`))
  }

  deleteReturning<R>(table: TableName, rows: readonly Row[], returning: readonly string[]): Promise<R[]> {
    return this.track(() => {
      const columns = Object.keys(rows[0] ?? {})
      const text = `delete from ${table} where ${equal(columns)} returning ${returning.join(', ')}`
      return rows.flatMap((row) => this.connection.all(text, valuesOf(table, columns, row))) as R[]
    })
  }

  announce(topic: Topic): void {
    this.#announced.add(topic)
  }

  /** There is one writer, so a transaction has every lock, and there is no other transaction that could hold one. */
  async tryLock(): Promise<boolean> {
    return true
  }

  async isLocked(): Promise<boolean> {
    return false
  }

  attempt<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const run = async (text: string): Promise<unknown> => this.connection.run(text, [])
    const savepoint = {
      set: () => run('savepoint attempt'),
      release: () => run('release attempt'),
      rollBack: () => run('rollback to attempt').then(() => run('release attempt')),
    }
    return this.#state.attempt(savepoint, (inner) =>
      work(new SqliteTx(this.connection, this.sql, this.compiled, inner, this.#announced)),
    )
  }

  protected override track<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#state.track(work)
  }

  #each(table: TableName, rows: readonly Row[], textOf: (columns: string[]) => string): void {
    const columns = Object.keys(rows[0] ?? {})
    const kinds = columns.map((column) => kindOf(table, column))
    const text = textOf(columns)
    for (const row of rows) {
      this.connection.run(
        text,
        columns.map((column, index) => encode(kinds[index] as never, row[column])),
      )
    }
  }
}

const insertInto = (table: TableName, columns: readonly string[]): string =>
  `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`

const valuesOf = (table: TableName, columns: readonly string[], row: Row): unknown[] =>
  columns.map((column) => encode(kindOf(table, column), row[column]))

const equal = (columns: readonly string[]): string => columns.map((column) => `${column} = ?`).join(' and ')
