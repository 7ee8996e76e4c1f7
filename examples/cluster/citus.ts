import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinaries, startNew, type Postgres } from './postgres.ts'
import { freePorts } from './processes.ts'
import { startNodeProxy } from './proxy.ts'

/** A coordinator of Citus, and the nodes that hold the rows of workspaces. */
export type Citus = {
  readonly coordinator: Postgres
  readonly nodes: readonly [Postgres, Postgres]
  /** Returns the node with the rows of a workspace. */
  readonly nodeOf: (workspaceId: string) => Postgres
}

/** Returns whether Citus is installed beside the Postgres that was found. */
export function hasCitus(): boolean {
  const { status, stdout } = spawnSync(join(findBinaries(), 'pg_config'), ['--sharedir'], { encoding: 'utf8' })
  return status === 0 && existsSync(join(stdout.trim(), 'extension/citus.control'))
}

/**
 * A change in doubt is settled within a second once its node is back, and not within the minute that is Citus's
 * default, since the walk waits for it. Nodes on one machine need no TLS.
 */
const settings = [
  'shared_preload_libraries=citus',
  'max_prepared_transactions=200',
  'max_worker_processes=32',
  'citus.recover_2pc_interval=1s',
  'citus.node_conninfo=sslmode=prefer',
]

const coordinatorPort = 5432

/** Starts a coordinator and two nodes behind HAProxy, and makes them a cluster. */
export async function startCitus(parent: string): Promise<Citus> {
  const start = async (name: string): Promise<Postgres> => {
    const node = await startNew(parent, name, settings)
    node.sql('create extension citus')
    return node
  }
  const coordinator = await start('coordinator')
  const nodes = [await start('node-1'), await start('node-2')] as const
  const ports = await freePorts(nodes.length)
  await startNodeProxy(
    parent,
    nodes.map(({ socket }, at) => ({ socket, port: ports[at] as number })),
  )
  coordinator.sql(`select citus_set_coordinator_host('${coordinator.folder}', ${coordinatorPort})`)
  for (const port of ports) await untilAdded(coordinator, port)
  const nodeOf = (workspaceId: string): Postgres => {
    const port = coordinator.sql(
      `select n.nodeport from pg_dist_placement p join pg_dist_node n using (groupid)
       where p.shardid = get_shard_id_for_distribution_column('record', '${workspaceId}'::uuid)`,
    )
    const found = nodes[ports.indexOf(Number(port))]
    if (found === undefined) throw new Error(`No node has the workspace ${workspaceId}.`)
    return found
  }
  return { coordinator, nodes, nodeOf }
}

const triesMax = 50
const againMs = 200

/** Repeats what fails until it succeeds, some seconds at most. */
async function again<T>(work: () => T | Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === triesMax) throw error
      await sleep(againMs)
    }
  }
}

/** Adds a node, once the proxy has seen that it is there. */
const untilAdded = (coordinator: Postgres, port: number): Promise<unknown> =>
  again(() => coordinator.sql(`select citus_add_node('127.0.0.1', ${port})`))

/** Starts a killed node again, once the processes that it has left behind are gone. */
export const startAgain = (node: Postgres): Promise<void> => again(() => node.start())
