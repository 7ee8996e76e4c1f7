import type { Knex } from 'knex'
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { QueryResult } from 'pg'
import type { Topic } from './published-topics.ts'
import type { TableName } from './columns.ts'
import { ofPostgres } from './postgres-errors.ts'
import { deleteRows, insertRows, updateRows } from './postgres-rows.ts'
import { postgresDialect } from './postgres.ts'
import { compile, type statementCache } from './statement.ts'
import { promised, TransactionState } from './transaction-state.ts'
import type { Explained, QueryOptions, ReadTx, Row, Sql, Statement, Tx } from './tx.ts'

/** Sends one named prepared statement. */
export type Send = (query: { name: string; text: string; values: unknown[] }) => Promise<QueryResult>

// A name is made of its text alone, whichever database it goes to.
// oxlint-disable-next-line kontor/module-state
const statementNames = new LRUCache<string, string>({ max: 2000 })

/** Derives the name of a prepared statement from its text; each connection prepares it once. */
function nameOf(text: string): string {
  let name = statementNames.get(text)
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 32)
    statementNames.set(text, name)
  }
  return name
}

export class PostgresReadTx implements ReadTx {
  readonly dialect = postgresDialect
  protected readonly sql: Sql
  protected readonly compiled: ReturnType<typeof statementCache>
  readonly #send: Send
  readonly #sendSmall: Send
  readonly #sendHeavy: Send

  /** `small` sends the reads of one row, `heavy` those marked as offloaded. */
  constructor(
    sql: Sql,
    compiled: ReturnType<typeof statementCache>,
    send: Send,
    { small = send, heavy = send }: { readonly small?: Send; readonly heavy?: Send } = {},
  ) {
    this.sql = sql
    this.compiled = compiled
    this.#send = send
    this.#sendSmall = small
    this.#sendHeavy = heavy
  }

  all<Args, R>(statement: Statement<Args, R>, args: Args, options?: QueryOptions): Promise<R[]> {
    return this.track(
      async () =>
        (await this.runStatement(statement as Statement<never, never>, args, this.#sendOf(options))).rows as R[],
    )
  }

  first<Args, R>(statement: Statement<Args, R>, args: Args): Promise<R | undefined> {
    return this.track(
      async () =>
        (await this.runStatement(statement as Statement<never, never>, args, this.#sendSmall)).rows[0] as R | undefined,
    )
  }

  query<R>(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw, options?: QueryOptions): Promise<R[]> {
    return this.track(async () => (await this.runBuilt(build, this.#sendOf(options))).rows as R[])
  }

  explain(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw, args?: unknown): Promise<Explained> {
    return this.track(async () => {
      const { text, values } = compile(build(this.sql))
      const { rows } = await this.send(`explain ${text}`, values(args))
      return { sql: text, steps: (rows as Record<'QUERY PLAN', string>[]).map((row) => row['QUERY PLAN']) }
    })
  }

  protected track<T>(work: () => Promise<T>): Promise<T> {
    return promised(work)
  }

  protected runStatement(statement: Statement<never, never>, args: unknown, send?: Send): Promise<QueryResult> {
    const { text, values } = this.compiled(statement)
    return this.send(text, values(args), send)
  }

  protected runBuilt(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw, send?: Send): Promise<QueryResult> {
    const { text, values } = compile(build(this.sql))
    return this.send(text, values(undefined), send)
  }

  #sendOf(options: QueryOptions | undefined): Send {
    return options?.heavy === true ? this.#sendHeavy : this.#send
  }

  protected async send(text: string, values: unknown[], send = this.#send): Promise<QueryResult> {
    try {
      return await send({ name: nameOf(text), text, values })
    } catch (error) {
      throw ofPostgres(error)
    }
  }
}

/**
 * Looks for the locks of `tryLock` without taking them: a lock held for a moment would be refused to a transaction that
 * wants it.
 */
const lockedText = `select from pg_locks
  where locktype = 'advisory' and objsubid = 1 and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32 | objid::bigint) in (select hashtextextended(name, 0) from unnest($1::text[]) as name)
  limit 1`

export class PostgresTx extends PostgresReadTx implements Tx {
  readonly state: TransactionState
  readonly #transport: Send
  readonly #announced: Set<Topic>

  constructor(
    sql: Sql,
    compiled: ReturnType<typeof statementCache>,
    send: Send,
    announced: Set<Topic>,
    state = new TransactionState(),
  ) {
    super(sql, compiled, send)
    this.state = state
    this.#transport = send
    this.#announced = announced
  }

  run<Args>(statement: Statement<Args, never>, args: Args): Promise<number> {
    return this.track(async () => (await this.runStatement(statement as Statement<never, never>, args)).rowCount ?? 0)
  }

  change(build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw): Promise<number> {
    return this.track(async () => (await this.runBuilt(build)).rowCount ?? 0)
  }

  insert(table: TableName, rows: readonly Row[]): Promise<void> {
    return this.track(async () => {
      if (rows.length > 0) await this.#sendRows(insertRows(table, rows, ''))
    })
  }

  insertNew<R>(table: TableName, rows: readonly Row[], returning: readonly string[]): Promise<R[]> {
    return this.track(async () => {
      if (rows.length === 0) return []
      return (
        await this.#sendRows(insertRows(table, rows, ` on conflict do nothing returning ${returning.join(', ')}`))
      ).rows as R[]
    })
  }

  updateByKey(table: TableName, keys: readonly string[], rows: readonly Row[]): Promise<void> {
    return this.track(async () => {
      if (rows.length > 0) await this.#sendRows(updateRows(table, keys, rows))
    })
  }

  deleteByKey(table: TableName, rows: readonly Row[]): Promise<void> {
    return this.track(async () => {
      if (rows.length > 0) await this.#sendRows(deleteRows(table, rows))
    })
  }

  deleteReturning<R>(table: TableName, rows: readonly Row[], returning: readonly string[]): Promise<R[]> {
    return this.track(async () =>
      rows.length === 0
        ? []
        : ((
            await this.#sendRows(
              deleteRows(table, rows, ` returning ${returning.map((column) => `${table}.${column}`).join(', ')}`),
            )
          ).rows as R[]),
    )
  }

  isLocked(names: readonly string[]): Promise<boolean> {
    return this.track(async () => (await this.send(lockedText, [names])).rows.length > 0)
  }

  attempt<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const run = (text: string): Promise<unknown> => this.send(text, [])
    const savepoint = {
      set: () => run('savepoint attempt'),
      release: () => run('release savepoint attempt'),
      rollBack: () => Promise.all([run('rollback to savepoint attempt'), run('release savepoint attempt')]),
    }
    return this.state.attempt(savepoint, (inner) =>
      work(new PostgresTx(this.sql, this.compiled, this.#transport, this.#announced, inner)),
    )
  }

  announce(topic: Topic): void {
    this.#announced.add(topic)
  }

  protected override track<T>(work: () => Promise<T>): Promise<T> {
    return this.state.track(work)
  }

  tryLock(name: string): Promise<boolean> {
    return this.track(async () => {
      const { rows } = await this.send('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked', [name])
      return (rows[0] as { locked: boolean }).locked
    })
  }

  #sendRows({ text, values }: { text: string; values: unknown[] }): Promise<QueryResult> {
    return this.send(text, values)
  }
}
