import type { Knex } from 'knex'
import type { Dialect } from './dialect.ts'

/**
 * The tools that a query is built with: Knex without a connection, and the expressions in which the dialects differ.
 */
export type Sql = { readonly knex: Knex; readonly dialect: Dialect }
