import type { Knex } from 'knex'
import type { TableName } from './columns.ts'
import type { Sql } from './sql.ts'
import type { ReadTx } from './tx.ts'

type Found = { readonly workspace_id: string }

const idsOf = (rows: readonly Found[]): string[] => rows.map(({ workspace_id }) => workspace_id)

/**
 * The workspaces that have rows in a table, each found by one lookup in its primary key, however many rows there are.
 */
export const workspacesIn = async (tx: ReadTx, table: TableName): Promise<string[]> =>
  idsOf(await tx.query<Found>((sql) => sql.dialect.workspacesIn(table)))

/** The workspaces of the rows that a query finds, which an index should find by something else. */
export const workspacesOf = async (tx: ReadTx, rows: (sql: Sql) => Knex.QueryBuilder): Promise<string[]> =>
  idsOf(await tx.query<Found>((sql) => rows(sql).distinct('workspace_id')))
