import type { Knex } from 'knex'
import { isNodeLost } from './errors.ts'
import type { TableName } from './columns.ts'
import { leadingTable } from './distribution/layout.ts'
import type { Sql } from './sql.ts'
import type { ReadTx } from './tx.ts'

type Found = { readonly workspace_id: string }

/**
 * A query for rows. `only` names the workspaces of one node: tables that the query reads in subqueries are to be bound
 * to them, or the query asks all nodes.
 */
type Rows = (sql: Sql, only?: readonly string[]) => Knex.QueryBuilder

const idsOf = (rows: readonly Found[]): string[] => rows.map(({ workspace_id }) => workspace_id)

/**
 * The workspaces that have rows in a table, each found by one lookup in its primary key, however many rows there are.
 */
export const workspacesIn = async (tx: ReadTx, table: TableName): Promise<string[]> =>
  idsOf(await tx.query<Found>((sql) => sql.dialect.workspacesIn(table)))

/**
 * The workspaces of the rows that a query finds, which an index should find by something else. While a node of a
 * distributed database does not answer, each node is asked by itself, and the workspaces of that one are left out.
 */
export async function workspacesOf(tx: ReadTx, rows: Rows, column = 'workspace_id'): Promise<string[]> {
  const found = await withNodes(tx, (sql) => rows(sql).distinct(column))
  if (found !== undefined) return found
  const nodes = await workspacesByNode(tx)
  const answers = await Promise.all(
    nodes.map((only) =>
      withNodes(tx, (sql) => rows(sql, only).where(sql.dialect.oneOf(column, only)).distinct(column)),
    ),
  )
  return answers.flatMap((ids) => ids ?? [])
}

/** Returns the workspaces that a query finds; undefined where a node that it asks does not answer. */
async function withNodes(tx: ReadTx, rows: (sql: Sql) => Knex.QueryBuilder): Promise<string[] | undefined> {
  try {
    return idsOf(await tx.query<Found>(rows))
  } catch (error) {
    if (isNodeLost(error)) return undefined
    throw error
  }
}

/** The workspaces of each node of a distributed database. The shard of each is computed once, before the join. */
async function workspacesByNode(tx: ReadTx): Promise<string[][]> {
  const rows = await tx.query<{ ids: string[] }>(
    (sql) => sql`with placed as materialized (
        select id, get_shard_id_for_distribution_column(${leadingTable}::regclass, id) as shardid from workspace
      ) select array_agg(placed.id) as ids from placed join pg_dist_placement as p using (shardid) group by p.groupid`,
  )
  return rows.map(({ ids }) => ids)
}
