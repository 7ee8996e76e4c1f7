import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProgram, type Program } from './processes.ts'

export type Proxied = {
  /** Ports of this machine: where the proxy serves the API and the database, and where the servers listen. */
  readonly api: number
  readonly database: number
  readonly servers: readonly number[]
  /** Sockets of the primary and of the standby. */
  readonly postgres: readonly [string, string]
}

/** The response of the proxy while no server is ready, in the shape that ours have. */
const noServer = JSON.stringify({
  errors: [{ status: '503', code: 'starting', title: 'Starting', detail: 'No server is ready.' }],
})

/**
 * The configuration of HAProxy. A server gets requests while `/readyz` returns 200; a change is sent once, so that only
 * the client repeats it. Connections to the database go to the standby while the primary is down, and end when
 * it goes or returns.
 */
const configuration = ({ api, database, servers, postgres: [primary, standby] }: Proxied): string => `
global
  maxconn 2000
defaults
  timeout connect 1s
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
  server standby unix@${standby} backup
`

/** Starts HAProxy before the servers and the database. */
export async function startProxy(folder: string, proxied: Proxied): Promise<Program> {
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configuration(proxied))
  return startProgram('haproxy', ['-db', '-V', '-f', file], {
    ready: /./,
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` },
  })
}
