import type { Pool, PoolClient } from 'pg'
import { coordinatorTables, distributedTables, leadingTable } from './layout.ts'

type Client = Pool | PoolClient

export type DistributionNode = {
  readonly host: string
  readonly port: number
  readonly is_coordinator: boolean
  readonly is_active: boolean
  /** True if it may be given shards. */
  readonly takes_shards: boolean
  /** Shards of the leading table that it holds; the other tables have as many. */
  readonly shards: number
}

/** The distribution of the tables in a distributed Postgres. */
export type Distribution = {
  readonly version: string
  /** The parts of each distributed table. */
  readonly shards: number
  readonly distributed_tables: number
  readonly coordinator_tables: number
  readonly nodes: readonly DistributionNode[]
}

/** The placement of one of our tables; `key` is the column by which it is distributed, if it is. */
type Placement = {
  readonly table: string
  readonly key: string | undefined
  /** True if it stays on the coordinator. */
  readonly is_local: boolean
  readonly shards: number
}

const placedQuery = `select p.logicalrelid::regclass::text as "table",
    case p.partmethod when 'h' then column_to_column_name(p.logicalrelid, p.partkey) end as key,
    p.partmethod = 'n' and p.repmodel = 's' as is_local,
    (select count(*)::int from pg_dist_shard s where s.logicalrelid = p.logicalrelid) as shards
  from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
  where c.relnamespace = current_schema()::regnamespace and not c.relispartition order by 1`

const nodesQuery = `select n.nodename as host, n.nodeport::int as port, n.groupid = 0 as is_coordinator,
    n.isactive as is_active, n.shouldhaveshards as takes_shards,
    (select count(*)::int from pg_dist_placement p join pg_dist_shard s using (shardid)
      where p.groupid = n.groupid and s.logicalrelid = to_regclass('${leadingTable}')) as shards
  from pg_dist_node n where n.noderole = 'primary' order by n.groupid`

/** A query for the version of Citus in a database. */
export const citusQuery = "select extversion from pg_extension where extname = 'citus'"

/** Returns the version of Citus in this database; undefined if the extension is not in it. */
export async function citusVersion(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ extversion: string }>(citusQuery)
  return rows[0]?.extversion
}

/** Returns the tables that Citus knows, in the order of their names. */
export async function placedTables(client: Client): Promise<readonly Placement[]> {
  const { rows } = await client.query<Omit<Placement, 'key'> & { key: string | null }>(placedQuery)
  return rows.map(({ key, ...row }) => ({ ...row, key: key ?? undefined }))
}

export const nodesOf = async (client: Client): Promise<readonly DistributionNode[]> =>
  (await client.query<DistributionNode>(nodesQuery)).rows

/** Returns the nodes that the coordinator does not reach at the moment, as `host:port`. */
export async function unreachableNodes(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ node: string }>(
    `select to_nodename || ':' || to_nodeport as node from citus_check_cluster_node_health()
     where from_nodeport = (select nodeport from pg_dist_node where groupid = 0)
       and from_nodename = (select nodename from pg_dist_node where groupid = 0) and result is not true order by 1`,
  )
  return rows.map(({ node }) => node)
}

/** Returns whether every table and function of this version is where a distributed database has it. */
export async function isWhole(client: Client): Promise<boolean> {
  const placed = new Set((await placedTables(client)).map(({ table }) => table))
  if (![...distributedTables, ...coordinatorTables].every((table) => placed.has(table))) return false
  const { rows } = await client.query<{ here: boolean }>(
    "select to_regprocedure('kontor_workspaces_here(text)') is not null as here",
  )
  return rows[0]?.here === true
}

/** Reads how the tables are distributed; undefined where they are not. */
export async function distributionOf(client: Client): Promise<Distribution | undefined> {
  const version = await citusVersion(client)
  if (version === undefined) return undefined
  const placed = await placedTables(client)
  const leading = placed.find(({ table }) => table === leadingTable)
  if (leading?.key === undefined) return undefined
  const distributed = placed.filter(({ key }) => key !== undefined)
  return {
    version,
    shards: leading.shards,
    distributed_tables: distributed.length,
    coordinator_tables: placed.length - distributed.length,
    nodes: await nodesOf(client),
  }
}
