import type { Knex } from 'knex'
import { encode, kindOf, type TableName } from './columns.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { sqliteDialect } from './sqlite.ts'
import { compile, type Compiled, type statementCache } from './statement.ts'
import type { QueryOptions, ReadTx, Row, Sql, Statement, Tx } from './tx.ts'

/** Runs a read elsewhere than on the main thread. */
export type HeavyReader = (text: string, values: unknown[]) => Promise<unknown[]>

export class SqliteReadTx implements ReadTx {
  readonly dialect = sqliteDialect
  protected readonly connection: SqliteConnection
  protected readonly sql: Sql
  protected readonly compiled: ReturnType<typeof statementCache>
  readonly #heavy: HeavyReader | undefined

  constructor(connection: SqliteConnection, sql: Sql, compiled: ReturnType<typeof statementCache>, heavy?: HeavyReader) {
    this.connection = connection
    this.sql = sql
    this.compiled = compiled
    this.#heavy = heavy
  }

  async all<Args, R>(statement: Statement<Args, R>, args: Args, options?: QueryOptions): Promise<R[]> {
    return this.#select(this.compiled(statement as Statement<never, never>), args, options)
  }

  async first<Args, R>(statement: Statement<Args, R>, args: Args): Promise<R | undefined> {
    const { text, values } = this.compiled(statement as Statement<never, never>)
    return this.connection.all(text, values(args))[0] as R | undefined
  }

  async query<R>(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw, options?: QueryOptions): Promise<R[]> {
    return this.#select(compile(build(this.sql)), undefined, options)
  }

  async #select<R>({ text, values }: Compiled, args: unknown, options: QueryOptions | undefined): Promise<R[]> {
    if (options?.heavy === true && this.#heavy !== undefined) return (await this.#heavy(text, values(args))) as R[]
    return this.connection.all(text, values(args)) as R[]
  }
}

export class SqliteTx extends SqliteReadTx implements Tx {
  async run<Args>(statement: Statement<Args, never>, args: Args): Promise<number> {
    const { text, values } = this.compiled(statement as Statement<never, never>)
    return this.connection.run(text, values(args))
  }

  async change(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw): Promise<number> {
    const { text, values } = compile(build(this.sql))
    return this.connection.run(text, values(undefined))
  }

  async insert(table: TableName, rows: readonly Row[]): Promise<void> {
    this.#each(table, rows, (columns) => `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`)
  }

  async insertNew<R>(table: TableName, rows: readonly Row[], returning: readonly string[]): Promise<R[]> {
    const columns = Object.keys(rows[0] ?? {})
    const text = `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')}) on conflict do nothing returning ${returning.join(', ')}`
    return rows.flatMap((row) => this.connection.all(text, columns.map((column) => encode(kindOf(table, column), row[column])))) as R[]
  }

  async updateByKey(table: TableName, keys: readonly string[], rows: readonly Row[]): Promise<void> {
    const values = Object.keys(rows[0] ?? {}).filter((column) => !keys.includes(column))
    const text = `update ${table} set ${values.map((column) => `${column} = ?`).join(', ')} where ${equal(keys)}`
    for (const row of rows) this.connection.run(text, [...values, ...keys].map((column) => encode(kindOf(table, column), row[column])))
  }

  async deleteByKey(table: TableName, rows: readonly Row[]): Promise<void> {
    this.#each(table, rows, (columns) => `delete from ${table} where ${equal(columns)}`)
  }

  #each(table: TableName, rows: readonly Row[], textOf: (columns: string[]) => string): void {
    const columns = Object.keys(rows[0] ?? {})
    const kinds = columns.map((column) => kindOf(table, column))
    const text = textOf(columns)
    for (const row of rows) this.connection.run(text, columns.map((column, index) => encode(kinds[index] as never, row[column])))
  }
}

const equal = (columns: readonly string[]): string => columns.map((column) => `${column} = ?`).join(' and ')
