import type { Knex } from 'knex'
import type { Explained, QueryOptions, ReadTx, Sql, Statement } from './tx.ts'

type Asked = { readonly build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw; readonly args: unknown }

/** Reads like the handle that it wraps, and records every query so that it can be explained afterwards. */
export class ExplainingTx implements ReadTx {
  readonly #tx: ReadTx
  readonly #asked: Asked[] = []

  constructor(tx: ReadTx) {
    this.#tx = tx
  }

  get dialect(): ReadTx['dialect'] {
    return this.#tx.dialect
  }

  all<Args, R>(statement: Statement<Args, R>, args: Args, options?: QueryOptions): Promise<R[]> {
    this.#asked.push({ build: statement.build, args })
    return this.#tx.all(statement, args, options)
  }

  first<Args, R>(statement: Statement<Args, R>, args: Args): Promise<R | undefined> {
    this.#asked.push({ build: statement.build, args })
    return this.#tx.first(statement, args)
  }

  query<R>(build: Asked['build'], options?: QueryOptions): Promise<R[]> {
    this.#asked.push({ build, args: undefined })
    return this.#tx.query(build, options)
  }

  explain(build: Asked['build'], args?: unknown): Promise<Explained> {
    return this.#tx.explain(build, args)
  }

  /** Every query so far, in the order in which they were sent, finished or not. */
  explained(): Promise<Explained[]> {
    return Promise.all(this.#asked.map(({ build, args }) => this.#tx.explain(build, args)))
  }
}
