import type { Knex } from 'knex'
import { DatabaseUnavailable, isNodeLost } from './errors.ts'
import type { TableName } from './columns.ts'
import { leadingTable } from './distribution/layout.ts'
import type { NodeWatch, WorkspaceNode } from './distribution/node-watch.ts'
import type { Sql } from './sql.ts'
import type { ReadTx } from './tx.ts'

type Found = { readonly workspace_id: string }

/**
 * A query for rows of several workspaces. `only` names those of one node: tables that the query reads in subqueries are
 * to be bound to them, or the query asks all nodes.
 */
type Rows = (sql: Sql, only?: readonly string[]) => Knex.QueryBuilder | Knex.Raw

const idsOf = (rows: readonly Found[]): string[] => rows.map(({ workspace_id }) => workspace_id)

/**
 * The workspaces that have rows in a table, each found by one lookup in its primary key, however many rows there are.
 */
export const workspacesIn = async (tx: ReadTx, table: TableName): Promise<string[]> =>
  idsOf(await tx.query<Found>((sql) => sql.dialect.workspacesIn(table)))

/**
 * The workspaces of the rows that a query finds, which an index should find by something else. While a node of a
 * distributed database does not answer, its workspaces are left out.
 */
export const workspacesOf = async (
  tx: ReadTx,
  rows: (...args: Parameters<Rows>) => Knex.QueryBuilder,
  column = 'workspace_id',
): Promise<string[]> => idsOf(await rowsOfTable<Found>(tx, (sql, only) => rows(sql, only).distinct(column), column))

/**
 * Reads rows of all workspaces by a query of one distributed table, whose column `column` has the workspace. While a
 * node does not answer, its rows are left out, and groups and sums come once for each of the other nodes.
 */
export const rowsOfTable = <R extends object>(
  tx: ReadTx,
  rows: (...args: Parameters<Rows>) => Knex.QueryBuilder,
  column = 'workspace_id',
): Promise<R[]> =>
  rowsOfNodes<R>(tx, (sql, only) => {
    const found = rows(sql, only)
    return only === undefined ? found : found.where(sql.dialect.oneOf(column, only))
  })

/**
 * Reads rows of several workspaces, by default of all, in one statement. While a node of a distributed database does
 * not answer, each of the others is asked by itself for the rows of its workspaces, and those of that node are left
 * out: it is probed meanwhile, and no caller waits for it.
 */
export async function rowsOfNodes<R extends object>(tx: ReadTx, rows: Rows, among?: readonly string[]): Promise<R[]> {
  const { nodes } = tx.executor
  if (nodes === undefined) return tx.query<R>(rows)
  if (!nodes.isAnyLost) {
    const found = await unlessNodeLost<R>(tx, (sql) => rows(sql))
    if (found !== undefined) return found
  }
  const answers = await Promise.all(
    narrowed(await presentNodes(tx, nodes), among).map(async (node) => {
      const found = await unlessNodeLost<R>(tx, (sql) => rows(sql, node.ids))
      if (found === undefined) nodes.lose(node)
      return found ?? []
    }),
  )
  return answers.flat()
}

/**
 * Remembers that the node of a workspace did not answer, which a statement about it has found out; does nothing while
 * the coordinator does not answer either.
 */
export async function loseNodeOf(tx: ReadTx, workspaceId: string): Promise<void> {
  try {
    await tx.executor.nodes?.loseNodeOf(workspaceId, () => listNodes(tx))
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error
  }
}

/** Returns a check of whether the node of a workspace did not answer; such nodes are probed meanwhile. */
export async function lostWorkspaces(tx: ReadTx): Promise<(workspaceId: string) => boolean> {
  const { nodes } = tx.executor
  if (!nodes?.isAnyLost) return () => false
  await presentNodes(tx, nodes)
  return (workspaceId) => nodes.hasLost(workspaceId)
}

/** The nodes that have some of the workspaces: without a value to look for, Citus asks all nodes. */
function narrowed(nodes: readonly WorkspaceNode[], among: readonly string[] | undefined): readonly WorkspaceNode[] {
  if (among === undefined) return nodes
  const wanted = new Set(among)
  return nodes
    .map(({ group, ids }) => ({ group, ids: ids.filter((id) => wanted.has(id)) }))
    .filter(({ ids }) => ids.length > 0)
}

/** Returns the rows of a query; undefined where a node that it asks does not answer. */
async function unlessNodeLost<R extends object>(
  tx: ReadTx,
  rows: (sql: Sql) => Knex.QueryBuilder | Knex.Raw,
): Promise<R[] | undefined> {
  try {
    return await tx.query<R>(rows)
  } catch (error) {
    if (isNodeLost(error)) return undefined
    throw error
  }
}

const presentNodes = (tx: ReadTx, nodes: NodeWatch): Promise<WorkspaceNode[]> =>
  nodes.present(
    () => listNodes(tx),
    async (node) => (await unlessNodeLost(tx, (sql) => oneRowOf(sql, node))) !== undefined,
  )

const oneRowOf = (sql: Sql, { ids }: WorkspaceNode): Knex.Raw =>
  sql`select 1 from ${sql.ref(leadingTable)} where workspace_id = ${ids[0] ?? null} limit 1`

/** The nodes of a distributed database. The shard of each workspace is computed once, before the join. */
const listNodes = (tx: ReadTx): Promise<WorkspaceNode[]> =>
  tx.query(
    (sql) => sql`with placed as materialized (
        select id, get_shard_id_for_distribution_column(${leadingTable}::regclass, id) as shardid from workspace
      ) select p.groupid as "group", array_agg(placed.id) as ids
      from placed join pg_dist_placement as p using (shardid) group by p.groupid`,
  )
