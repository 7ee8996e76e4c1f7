import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProgram, type Program } from './processes.ts'

export type Proxied = {
  /** Ports of this machine: where the proxy serves the API and the database, and where the servers listen. */
  readonly api: number
  readonly database: number
  readonly servers: readonly number[]
  /** Sockets of the primary and of its standbys. */
  readonly postgres: readonly [string, ...string[]]
}

/** The response of the proxy while no server is ready, in the shape that ours have. */
const noServer = JSON.stringify({
  errors: [{ status: '503', code: 'starting', title: 'Starting', detail: 'No server is ready.' }],
})

/**
 * The configuration of HAProxy. A server gets requests while `/readyz` returns 200. By default a check must be done
 * before the next one begins; it has two seconds here, or a busy machine would have no server for a moment. A change is
 * sent once, so that only the client repeats it. Connections to the database go to the standby while the primary is
 * down, and end when it goes or returns.
 */
const configuration = ({ api, database, servers, postgres: [primary, ...standbys] }: Proxied): string => `
global
  maxconn 2000
defaults
  timeout connect 1s
  timeout check 2s
  timeout client 90s
  timeout server 90s
  default-server inter 200ms fall 2 rise 1 check

frontend api
  mode http
  bind 127.0.0.1:${api}
  http-error status 503 content-type application/json hdr Retry-After 1 string '${noServer}'
  default_backend servers
backend servers
  mode http
  option httpchk GET /readyz
  option redispatch
  retries 3
${servers.map((port, at) => `  server server${at + 1} 127.0.0.1:${port}`).join('\n')}

frontend database
  mode tcp
  bind 127.0.0.1:${database}
  default_backend postgres
backend postgres
  mode tcp
  option pgsql-check user postgres
  server primary unix@${primary} on-marked-down shutdown-sessions on-marked-up shutdown-backup-sessions
${standbys.map((socket, at) => `  server standby${at + 1} unix@${socket} backup`).join('\n')}
`

/** Starts HAProxy before the servers and the database. */
export const startProxy = (folder: string, proxied: Proxied): Promise<Program> =>
  start(join(folder, 'haproxy.cfg'), configuration(proxied))

/** A node of a distributed Postgres: its socket, and the port of this machine at which the proxy serves it. */
export type ProxiedNode = { readonly socket: string; readonly port: number }

/**
 * The configuration of HAProxy between the nodes of a distributed Postgres. It ends the connections of a node that is
 * gone or hangs, which the others would wait for; idle ones stay as long as Citus keeps them, for ten minutes.
 */
const nodeConfiguration = (nodes: readonly ProxiedNode[]): string => `
global
  maxconn 2000
defaults
  mode tcp
  timeout connect 1s
  timeout check 2s
  timeout client 1h
  timeout server 1h
  option pgsql-check user postgres
${nodes
  .map(
    ({ socket, port }, at) => `
listen node${at + 1}
  bind 127.0.0.1:${port}
  server node${at + 1} unix@${socket} check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
`,
  )
  .join('')}`

/** Starts HAProxy between the nodes of a distributed Postgres. */
export const startNodeProxy = (folder: string, nodes: readonly ProxiedNode[]): Promise<Program> =>
  start(join(folder, 'haproxy-nodes.cfg'), nodeConfiguration(nodes))

async function start(file: string, text: string): Promise<Program> {
  writeFileSync(file, text)
  return startProgram('haproxy', ['-db', '-V', '-f', file], {
    ready: /./,
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` },
  })
}
