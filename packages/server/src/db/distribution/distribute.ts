import { escapeIdentifier, type PoolClient } from 'pg'
import { MigrationRefused } from '../migrations/refused.ts'
import { migrationLock } from '../migrations/connected.ts'
import { inTransaction, unbounded } from '../migrations/postgres-session.ts'
import { gatherStatistics, workspacesHere, workspacesIn } from '../migrations/spread-queries.ts'
import type { PostgresDatabase } from '../postgres-database.ts'
import { hasMetOthers } from '../postgres-errors.ts'
import { coordinatorTables, distributedFunctions, distributedTables, leadingTable } from './layout.ts'
import { citusVersion, distributionOf, nodesOf, placedTables, type Distribution } from './state.ts'

export type DistributeOptions = {
  /** The parts of each table; they cannot be changed later. */
  readonly shards?: number
  /** Called before each table that is moved. */
  readonly onTable?: (table: string) => void
}

const defaultShards = 32

/** Requests take locks in other orders than this does: now and then Postgres ends one of the two. */
const attemptsMax = 10

/**
 * Spreads the tables over the nodes of a Citus cluster, in one transaction: after a kill nothing has changed. Requests
 * that meet it wait for its end. Tables that are distributed already stay as they are, so it may run again. Throws
 * MigrationRefused, with a sentence for the operator, where it cannot be done.
 */
export async function distribute(database: PostgresDatabase, options: DistributeOptions = {}): Promise<Distribution> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(database.pool, (client) => run(client, options))
    } catch (error) {
      if (!hasMetOthers(error) || attempt === attemptsMax) throw error
    }
  }
}

async function run(client: PoolClient, { shards, onTable }: DistributeOptions): Promise<Distribution> {
  const exec = (text: string, values?: unknown[]) => client.query(unbounded(text, values))
  await exec('set local statement_timeout = 0')
  await exec('select pg_advisory_xact_lock($1)', [migrationLock])
  const before = await requireCluster(client, shards)
  // Several tables in one transaction: their shards one after another, so that each sees what was done to the last.
  await exec("set local citus.multi_shard_modify_mode to 'sequential'")
  await exec(`set local citus.shard_count to ${shards ?? before?.shards ?? defaultShards}`)
  const placed = new Set((await placedTables(client)).map(({ table }) => table))
  const missing = [...distributedTables, ...coordinatorTables].filter((table) => !placed.has(table))
  if (missing.length > 0) await exec(`lock table ${missing.join(', ')} in access exclusive mode`)
  for (const text of [workspacesHere, workspacesIn.distributed, gatherStatistics.distributed]) await exec(text)
  for (const name of distributedFunctions) await exec('select create_distributed_function($1)', [name])
  for (const table of distributedTables.filter((one) => !placed.has(one))) {
    onTable?.(table)
    await distributeTable(client, table)
  }
  for (const table of [...coordinatorTables].filter((one) => !placed.has(one)))
    await exec('select citus_add_local_table_to_metadata($1)', [table])
  const distribution = await distributionOf(client)
  if (distribution === undefined) throw new Error('The tables were distributed, but Citus lists none of them')
  return distribution
}

/** Throws where the database cannot be distributed, or is distributed otherwise; returns how it is distributed. */
async function requireCluster(client: PoolClient, shards: number | undefined): Promise<Distribution | undefined> {
  const version = await citusVersion(client)
  if (version === undefined)
    throw new MigrationRefused(
      'The extension citus is not in this database. Add citus to shared_preload_libraries on every node, restart ' +
        'them, and run "create extension citus" in this database on each.',
    )
  const { rows } = await client.query<{ here: boolean }>('select citus_is_coordinator() as here')
  if (rows[0]?.here !== true)
    throw new MigrationRefused('This is a worker of the cluster: DATABASE_URL must name its coordinator.')
  const nodes = await nodesOf(client)
  if (!nodes.some((node) => node.takes_shards && node.is_active))
    throw new MigrationRefused(
      'No node of the cluster accepts shards. Add workers with citus_add_node, or let the coordinator store them: ' +
        "select citus_set_node_property(host, port, 'shouldhaveshards', true).",
    )
  for (const { table, key, is_local: isLocal } of await placedTables(client))
    if (isElsewhere(table, key, isLocal))
      throw new MigrationRefused(
        `The table ${table} is not distributed as Kontor requires, ` +
          `${key === undefined ? 'without a column' : `by ${key}`}. Undo it with undistribute_table('${table}') first.`,
      )
  const before = await distributionOf(client)
  if (before !== undefined && shards !== undefined && shards !== before.shards)
    throw new MigrationRefused(
      `The tables already have ${before.shards} shards, not the ${shards} of --shards. Omit --shards, or change the ` +
        "number with alter_distributed_table('record', shard_count => …, cascade_to_colocated => true).",
    )
  return before
}

const isElsewhere = (table: string, key: string | undefined, isLocal: boolean): boolean =>
  distributedTables.includes(table) ? key !== 'workspace_id' : coordinatorTables.has(table) && !isLocal

async function distributeTable(client: PoolClient, table: string): Promise<void> {
  const { rows } = await client.query<{ partitioned: boolean }>(
    "select relkind = 'p' as partitioned from pg_class where oid = $1::regclass",
    [table],
  )
  const place = (name: string) =>
    client.query(
      unbounded("select create_distributed_table($1, 'workspace_id', colocate_with => $2)", [
        name,
        table === leadingTable ? 'none' : leadingTable,
      ]),
    )
  if (rows[0]?.partitioned !== true) await place(table)
  else await withoutPartitions(client, table, place)
}

/** Parts of a table beside its columns, as the statements that create them. */
type Parts = { readonly keys: readonly string[]; readonly indexes: readonly string[]; readonly options: string }

/**
 * Makes a table without partitions in the place of one that has some, since shards part the rows already: with both, a
 * read of one record takes twice the time. The rows are copied once, into the distributed table, before its indexes are
 * made.
 */
async function withoutPartitions(
  client: PoolClient,
  table: string,
  place: (table: string) => Promise<unknown>,
): Promise<void> {
  const old = `${table}_partitioned`
  const parts = await partsOf(client, table)
  const exec = (text: string) => client.query(unbounded(text))
  await exec(`alter table ${table} rename to ${old}`)
  await exec(`create table ${table} (like ${old} including defaults including storage) ${parts.options}`)
  await place(table)
  await exec(`insert into ${table} select * from ${old}`)
  await exec(`drop table ${old}`)
  for (const statement of [...parts.keys, ...parts.indexes]) await exec(statement)
}

async function partsOf(client: PoolClient, table: string): Promise<Parts> {
  const { rows: keys } = await client.query<{ name: string; definition: string }>(
    'select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint ' +
      "where conrelid = $1::regclass and contype <> 'n'",
    [table],
  )
  const { rows: indexes } = await client.query<{ definition: string }>(
    `select pg_get_indexdef(i.indexrelid) as definition from pg_index i
     where i.indrelid = $1::regclass and not exists (select 1 from pg_constraint where conindid = i.indexrelid)`,
    [table],
  )
  const { rows: options } = await client.query<{ options: string[] | null }>(
    `select c.reloptions as options from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass limit 1`,
    [table],
  )
  const settings = options[0]?.options ?? []
  return {
    keys: keys.map(
      ({ name, definition }) => `alter table ${table} add constraint ${escapeIdentifier(name)} ${definition}`,
    ),
    indexes: indexes.map(({ definition }) => definition.replace(' ON ONLY ', ' ON ')),
    options: settings.length === 0 ? '' : `with (${settings.join(', ')})`,
  }
}
