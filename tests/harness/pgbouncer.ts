import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { freePort } from './free-port.ts'

const program = process.env['PGBOUNCER'] ?? 'pgbouncer'

/** Connections to Postgres that all its clients share. */
export const sharedByPooler = 4

/**
 * Returns whether PgBouncer is here in a version that knows prepared statements; tests that need it are skipped
 * otherwise.
 */
export function hasPgBouncer(): boolean {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(stdout ?? '') ?? []
  return Number(major) > 1 || Number(minor) >= 21
}

/** Starts PgBouncer in transaction mode before the Postgres at `url`, and returns the URL that leads through it. */
export async function startPgBouncer(url: string, settings: Readonly<Record<string, string | number>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-pgbouncer-'))
  // It refuses root: it runs as the user of Postgres, who can read its files.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const direct = new URL(url)
  const user = decodeURIComponent(direct.username)
  writeFileSync(join(folder, 'users'), `"${user}" ""\n`)
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder, 'users'),
    pool_mode: 'transaction',
    default_pool_size: sharedByPooler,
    max_prepared_statements: 200,
    ...settings,
  }
  const file = join(folder, 'pgbouncer.ini')
  const database = `* = host=${direct.searchParams.get('host') ?? direct.hostname} port=${direct.port || 5432}`
  const configuration = Object.entries(lines).map(([name, value]) => `${name} = ${value}`)
  writeFileSync(file, ['[databases]', database, '[pgbouncer]', ...configuration, ''].join('\n'))
  const { uid, gid } = statSync(direct.searchParams.get('host') ?? folder)
  const child = spawn(program, ['-q', file], { uid, gid, cwd: '/', stdio: ['ignore', 'ignore', 'inherit'] })
  const gone = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await gone
    await rm(folder, { recursive: true, force: true })
  })
  const through = new URL(url)
  through.search = ''
  through.host = `127.0.0.1:${port}`
  await connected(through.href)
  return { url: through.href }
}

/** Waits until it accepts connections. */
async function connected(url: string): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return await client.end()
    } catch (error) {
      if (!(error instanceof Error && /ECONNREFUSED/.test(error.message))) throw error
      await sleep(20)
    }
  }
}
