import type { Knex } from 'knex'
import { isNodeLost } from './errors.ts'
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

/**
 * The workspaces of the rows that a query finds, which an index should find by something else. While a node of a
 * distributed database does not answer, each workspace is asked by itself, and those of that node are left out.
 */
export async function workspacesOf(
  tx: ReadTx,
  rows: (sql: Sql) => Knex.QueryBuilder,
  column = 'workspace_id',
): Promise<string[]> {
  try {
    return idsOf(await tx.query<Found>((sql) => rows(sql).distinct(column)))
  } catch (error) {
    if (!isNodeLost(error)) throw error
  }
  const all = await tx.query<{ id: string }>(({ knex }) => knex('workspace').select('id'))
  const found: string[] = []
  for (const { id } of all) if (await hasRows(tx, (sql) => rows(sql).where(column, id), column)) found.push(id)
  return found
}

async function hasRows(tx: ReadTx, rows: (sql: Sql) => Knex.QueryBuilder, column: string): Promise<boolean> {
  try {
    return (await tx.query<Found>((sql) => rows(sql).select(column).limit(1))).length > 0
  } catch (error) {
    if (isNodeLost(error)) return false
    throw error
  }
}
