import { dirname } from 'node:path'
import { serverNode, workerNode, type Node } from './nodes.ts'
import type { Postgres } from './postgres.ts'
import { freePorts } from './processes.ts'
import { startProxy } from './proxy.ts'

/** The servers and workers in front of the database. */
export type Front = {
  readonly baseUrl: string
  /** Where the servers listen behind the proxy. */
  readonly ports: readonly number[]
  readonly servers: readonly Node[]
  readonly workers: readonly Node[]
}

/** Starts HAProxy, three servers and two workers; the standby, if there is one, serves reads. */
export async function startFront(folder: string, primary: Postgres, standby?: Postgres): Promise<Front> {
  const [api, database, ...ports] = (await freePorts(5)) as [number, number, ...number[]]
  const standbys = standby === undefined ? [] : [standby]
  const postgres: [string, ...string[]] = [primary.socket, ...standbys.map(({ socket }) => socket)]
  await startProxy(folder, { api, database, servers: ports, postgres })
  const baseUrl = `http://127.0.0.1:${api}/v1`
  process.env['DATABASE_URL'] = `postgres://postgres@127.0.0.1:${database}/postgres`
  const settings = { BASE_URL: baseUrl, AUTH_URL: `http://127.0.0.1:${api}`, TRUSTED_PROXIES: '127.0.0.1' }
  const reads = standbys.map(({ socket }) => `postgres://postgres@localhost/postgres?host=${dirname(socket)}`)
  const readUrl: Record<string, string> = reads[0] === undefined ? {} : { DATABASE_READ_URL: reads[0] }
  const servers = ports.map((port) => serverNode(port, { ...settings, ...readUrl }))
  const workers = [1, 2].map((number) => workerNode(number, settings))
  // The first migrates the database.
  for (const node of [...servers, ...workers]) await node.start()
  return { baseUrl, ports, servers, workers }
}
