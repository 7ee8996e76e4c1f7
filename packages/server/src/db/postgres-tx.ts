import type { Knex } from 'knex'
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { QueryResult } from 'pg'
import { encode, isJson, kindOf, postgresTypes, type ColumnKind, type TableName } from './columns.ts'
import { StatementTimeout } from './errors.ts'
import { observed, promised } from './observed.ts'
import { postgresDialect } from './postgres.ts'
import { compile, type statementCache } from './statement.ts'
import type { ReadTx, Row, Sql, Statement, Tx } from './tx.ts'

/** Sends one named prepared statement. */
export type Send = (query: { name: string; text: string; values: unknown[] }) => Promise<QueryResult>

const statementNames = new LRUCache<string, string>({ max: 2000 })

/** A statement is prepared once for each connection under a name that is made from its text. */
function nameOf(text: string): string {
  let name = statementNames.get(text)
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 32)
    statementNames.set(text, name)
  }
  return name
}

/** Postgres' `query_canceled`: the statement timeout struck. */
const queryCanceled = '57014'

/** `in_failed_sql_transaction`: an earlier statement of the transaction failed. */
const transactionAborted = '25P02'

export class PostgresReadTx implements ReadTx {
  readonly dialect = postgresDialect
  protected readonly sql: Sql
  readonly #compiled: ReturnType<typeof statementCache>
  readonly #send: Send

  constructor(sql: Sql, compiled: ReturnType<typeof statementCache>, send: Send) {
    this.sql = sql
    this.#compiled = compiled
    this.#send = send
  }

  all<Args, R>(statement: Statement<Args, R>, args: Args): Promise<R[]> {
    return observed(this.runStatement(statement as Statement<never, never>, args).then(({ rows }) => rows as R[]))
  }

  first<Args, R>(statement: Statement<Args, R>, args: Args): Promise<R | undefined> {
    return observed(this.runStatement(statement as Statement<never, never>, args).then(({ rows }) => rows[0] as R | undefined))
  }

  query<R>(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw): Promise<R[]> {
    return observed(this.runBuilt(build).then(({ rows }) => rows as R[]))
  }

  protected async runStatement(statement: Statement<never, never>, args: unknown): Promise<QueryResult> {
    const { text, values } = this.#compiled(statement)
    return this.send(text, values(args))
  }

  protected async runBuilt(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw): Promise<QueryResult> {
    const { text, values } = compile(build(this.sql))
    return this.send(text, values(undefined))
  }

  protected async send(text: string, values: unknown[]): Promise<QueryResult> {
    try {
      return await this.#send({ name: nameOf(text), text, values })
    } catch (error) {
      if ((error as { code?: string }).code === queryCanceled) throw new StatementTimeout('The statement timeout struck', { cause: error })
      throw error
    }
  }
}

export class PostgresTx extends PostgresReadTx implements Tx {
  #failure: { readonly error: unknown } | undefined
  #ended = false

  /** From now on every statement is refused: the connection goes to somebody else. */
  end(): void {
    this.#ended = true
  }

  /** Throws the first failure of a statement, which has doomed the transaction, whether or not it was awaited. */
  assertSound(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /** What a failure comes from: once one statement failed, those behind it only say that the transaction is aborted. */
  causeOf(error: unknown): unknown {
    return (error as { code?: string } | undefined)?.code === transactionAborted ? (this.#failure?.error ?? error) : error
  }

  run<Args>(statement: Statement<Args, never>, args: Args): Promise<number> {
    return observed(this.runStatement(statement as Statement<never, never>, args).then(({ rowCount }) => rowCount ?? 0))
  }

  change(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw): Promise<number> {
    return observed(this.runBuilt(build).then(({ rowCount }) => rowCount ?? 0))
  }

  insert(table: TableName, rows: readonly Row[]): Promise<void> {
    return promised(async () => {
      if (rows.length > 0) await this.#insert(table, rows, '')
    })
  }

  insertNew<R>(table: TableName, rows: readonly Row[], returning: readonly string[]): Promise<R[]> {
    return promised(async () => {
      if (rows.length === 0) return []
      return (await this.#insert(table, rows, ` on conflict do nothing returning ${returning.join(', ')}`)).rows as R[]
    })
  }

  updateByKey(table: TableName, keys: readonly string[], rows: readonly Row[]): Promise<void> {
    return promised(async () => {
      if (rows.length === 0) return
      const columns = Object.keys(rows[0] as Row)
      const changes = columns.filter((column) => !keys.includes(column)).map((column) => `${column} = given.${column}`)
      const text = `update ${table} set ${changes.join(', ')} from ${given(table, columns)} where ${matches(table, keys)}`
      await this.send(text, columnWise(table, columns, rows))
    })
  }

  deleteByKey(table: TableName, rows: readonly Row[]): Promise<void> {
    return promised(async () => {
      if (rows.length === 0) return
      const columns = Object.keys(rows[0] as Row)
      await this.send(`delete from ${table} using ${given(table, columns)} where ${matches(table, columns)}`, columnWise(table, columns, rows))
    })
  }

  protected override async send(text: string, values: unknown[]): Promise<QueryResult> {
    if (this.#ended) throw new Error('The transaction has ended: a statement was not awaited')
    try {
      return await super.send(text, values)
    } catch (error) {
      this.#failure ??= { error }
      throw error
    }
  }

  async tryLock(name: string): Promise<boolean> {
    const { rows } = await this.send('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked', [name])
    return (rows[0] as { locked: boolean }).locked
  }

  /** One row goes as values; several go as one array a column, so that one prepared text serves any number. */
  #insert(table: TableName, rows: readonly Row[], ending: string): Promise<QueryResult> {
    const columns = Object.keys(rows[0] as Row)
    const into = `insert into ${table} (${columns.join(', ')})`
    if (rows.length > 1) return this.send(`${into} select * from ${given(table, columns)}${ending}`, columnWise(table, columns, rows))
    const values = columns.map((column) => encode(kindOf(table, column), (rows[0] as Row)[column]))
    return this.send(`${into} values (${columns.map((_, index) => `$${index + 1}`).join(', ')})${ending}`, values)
  }
}

const matches = (table: TableName, keys: readonly string[]): string => keys.map((key) => `${table}.${key} = given.${key}`).join(' and ')

const columnWise = (table: TableName, columns: readonly string[], rows: readonly Row[]): unknown[] =>
  columns.map((column) => {
    const kind = kindOf(table, column)
    return rows.map((row) => encode(kind, row[column]))
  })

/** The rows as a table `given`; JSON travels as text, since arrays of jsonb would be quoted twice. */
function given(table: TableName, columns: readonly string[]): string {
  const kinds = columns.map((column) => kindOf(table, column))
  const arrays = kinds.map((kind, index) => `$${index + 1}::${isJson(kind) ? 'text' : postgresTypes[kind]}[]`)
  const selected = columns.map((column, index) => (isJson(kinds[index]) ? `${column}::${postgresTypes[kinds[index] as ColumnKind]} as ${column}` : column))
  return `(select ${selected.join(', ')} from unnest(${arrays.join(', ')}) as raw(${columns.join(', ')})) as given`
}
