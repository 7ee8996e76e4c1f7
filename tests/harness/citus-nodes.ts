import pg from 'pg'
import { verifyDatabase } from '@kontor/server/admin'
import { distributeDatabase } from './citus.ts'
import { migrateAt, openAt } from './database.ts'
import { ownPostgres } from './own-postgres.ts'

/** Nodes on one machine share its memory; a change in doubt is settled soon, since tests wait for it. */
const settings = [
  'shared_preload_libraries=citus',
  'shared_buffers=32MB',
  'max_connections=150',
  'max_prepared_transactions=150',
  'max_worker_processes=32',
  'wal_level=logical',
  'citus.recover_2pc_interval=1s',
]

const port = 5432

export type CitusNode = Awaited<ReturnType<typeof startNode>>

async function startNode() {
  const postgres = await ownPostgres(settings)
  await query(postgres.url, 'create extension citus')
  // To move shards, a node connects to itself.
  await query(postgres.url, `alter system set citus.local_hostname to ${pg.escapeLiteral(postgres.folder)}`)
  await query(postgres.url, 'select pg_reload_conf()')
  return postgres
}

async function query<Row extends object>(url: string, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text, [...values])).rows
  } finally {
    await client.end()
  }
}

/** A coordinator and some workers, each a Postgres of its own that the test may kill, with distributed tables. */
export async function startNodes({ workers: count = 2, shards = 8 } = {}) {
  const coordinator = await startNode()
  const onCoordinator = <Row extends object>(text: string, values?: readonly unknown[]) =>
    query<Row>(coordinator.url, text, values)
  await onCoordinator('select citus_set_coordinator_host($1, $2)', [coordinator.folder, port])
  const addWorker = async (): Promise<CitusNode> => {
    const node = await startNode()
    await onCoordinator('select citus_add_node($1, $2)', [node.folder, port])
    return node
  }
  const workers: CitusNode[] = []
  while (workers.length < count) workers.push(await addWorker())
  await migrateAt(coordinator.url)
  const database = openAt(coordinator.url)
  await distributeDatabase(database, { shards })
  await database.close()
  return {
    url: coordinator.url,
    workers,
    addWorker,
    onCoordinator,
    /** The folder of the node that holds the rows of a workspace. */
    nodeOf: async (workspaceId: string): Promise<string | undefined> => {
      const [row] = await onCoordinator<{ host: string }>(
        `select n.nodename as host from pg_dist_placement p join pg_dist_node n using (groupid)
         where p.shardid = get_shard_id_for_distribution_column('record', $1::uuid)`,
        [workspaceId],
      )
      return row?.host
    },
    /** The findings of `kontor doctor --deep`. */
    verify: async () => {
      const opened = openAt(coordinator.url)
      const checks = await verifyDatabase({
        database: opened,
        clock: { now: Date.now, monotonicMs: () => performance.now() },
      })
      await opened.close()
      return checks.filter(({ found }) => found > 0)
    },
    /** Moves every shard of the workspaces' tables on one node to another, one after another. */
    moveShards: async (from: CitusNode, to: CitusNode): Promise<number> => {
      const shardIds = await onCoordinator<{ id: string }>(
        `select s.shardid as id from pg_dist_shard s join pg_dist_placement p using (shardid)
         join pg_dist_node n using (groupid) where s.logicalrelid = 'record'::regclass and n.nodename = $1`,
        [from.folder],
      )
      const move = 'select citus_move_shard_placement($1, $2, $4, $3, $4)'
      for (const { id } of shardIds) await onCoordinator(move, [id, from.folder, to.folder, port])
      return shardIds.length
    },
  }
}
