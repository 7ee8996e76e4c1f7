import type { Knex } from 'knex'
import type { Sql } from './sql.ts'
import { param, statement } from './statement.ts'
import type { ReadTx } from './tx.ts'

/** Placeholders for the arguments of a query, in their order. */
type Params<Args extends readonly unknown[]> = { [At in keyof Args]: never }

type Build<Args extends readonly unknown[]> = (sql: Sql, ...args: Params<Args>) => Knex.QueryBuilder | Knex.Raw

/** Typed as what a query takes, as `param` is. */
function paramsOf<Args extends readonly unknown[]>(count: number): Params<Args>
function paramsOf(count: number): unknown {
  return Array.from({ length: count }, (_, at) => param(String(at)))
}

/** A query with as many parameters as its function declares behind `sql`. */
const withParams = <Args extends readonly unknown[], Row>(build: Build<Args>) =>
  statement<object, Row>((sql) => build(sql, ...paramsOf<Args>(build.length - 1)))

/**
 * Makes a function that finds the first row of a query, which is compiled once with placeholders for the arguments:
 * `finder<[hash: string], LinkRow>(({ knex }, hash) => knex('password_link').where('token_hash', hash))`.
 */
export const finder = <Args extends readonly unknown[], Row>(build: Build<Args>) => {
  const found = withParams<Args, Row>(build)
  return (tx: ReadTx, ...args: Args): Promise<Row | undefined> => tx.first(found, Object.assign({}, args))
}

/** Makes a function that lists the rows of a query, which is compiled once as that of `finder` is. */
export const lister = <Args extends readonly unknown[], Row>(build: Build<Args>) => {
  const listed = withParams<Args, Row>(build)
  return (tx: ReadTx, ...args: Args): Promise<Row[]> => tx.all(listed, Object.assign({}, args))
}
