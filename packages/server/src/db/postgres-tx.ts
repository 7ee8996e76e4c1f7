import type { Knex } from 'knex'
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { QueryResult } from 'pg'
import { encode, isJson, kindOf, postgresTypes, type ColumnKind, type TableName } from './columns.ts'
import { StatementTimeout } from './errors.ts'
import { postgresDialect } from './postgres.ts'
import { compile, type statementCache } from './statement.ts'
import { promised, TransactionState } from './transaction-state.ts'
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
    return this.track(async () => (await this.runStatement(statement as Statement<never, never>, args)).rows as R[])
  }

  first<Args, R>(statement: Statement<Args, R>, args: Args): Promise<R | undefined> {
    return this.track(async () => (await this.runStatement(statement as Statement<never, never>, args)).rows[0] as R | undefined)
  }

  query<R>(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw): Promise<R[]> {
    return this.track(async () => (await this.runBuilt(build)).rows as R[])
  }

  protected track<T>(work: () => Promise<T>): Promise<T> {
    return promised(work)
  }

  protected runStatement(statement: Statement<never, never>, args: unknown): Promise<QueryResult> {
    const { text, values } = this.#compiled(statement)
    return this.send(text, values(args))
  }

  protected runBuilt(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw): Promise<QueryResult> {
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
  readonly state = new TransactionState()

  run<Args>(statement: Statement<Args, never>, args: Args): Promise<number> {
    return this.track(async () => (await this.runStatement(statement as Statement<never, never>, args)).rowCount ?? 0)
  }

  change(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw): Promise<number> {
    return this.track(async () => (await this.runBuilt(build)).rowCount ?? 0)
  }

  insert(table: TableName, rows: readonly Row[]): Promise<void> {
    return this.track(async () => {
      if (rows.length > 0) await this.#insert(table, rows, '')
    })
  }

  insertNew<R>(table: TableName, rows: readonly Row[], returning: readonly string[]): Promise<R[]> {
    return this.track(async () => {
      if (rows.length === 0) return []
      return (await this.#insert(table, rows, ` on conflict do nothing returning ${returning.join(', ')}`)).rows as R[]
    })
  }

  updateByKey(table: TableName, keys: readonly string[], rows: readonly Row[]): Promise<void> {
    return this.track(async () => {
      if (rows.length === 0) return
      const columns = Object.keys(rows[0] as Row)
      const changes = columns.filter((column) => !keys.includes(column)).map((column) => `${column} = given.${column}`)
      const text = `update ${table} set ${changes.join(', ')} from ${given(table, columns)} where ${matches(table, keys)}`
      await this.send(text, columnWise(table, columns, rows))
    })
  }

  deleteByKey(table: TableName, rows: readonly Row[]): Promise<void> {
    return this.track(async () => {
      if (rows.length === 0) return
      const columns = Object.keys(rows[0] as Row)
      await this.send(`delete from ${table} using ${given(table, columns)} where ${matches(table, columns)}`, columnWise(table, columns, rows))
    })
  }

  protected override track<T>(work: () => Promise<T>): Promise<T> {
    return this.state.track(work)
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
