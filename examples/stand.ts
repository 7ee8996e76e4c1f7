import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer, type Server } from './shell.ts'
import { done, step } from './tell.ts'

/**
 * Runs a walk whose servers keep their data in a new folder, which goes with the walk. `settings` are the servers' own.
 */
export async function inNewFolder(
  name: string,
  settings: Readonly<Record<string, string>>,
  walk: () => Promise<void>,
  title = startOn(),
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), `kontor-${name}-`))
  Object.assign(process.env, { DATA_DIR: folder, KONTOR_DEMO: '0', LOG_LEVEL: 'warn', PORT: '0', ...settings })
  try {
    step(title)
    await walk()
    done()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const startOn = (): string =>
  'Start Kontor on ' +
  (process.env['DATABASE_URL'] === undefined ? 'an embedded database in an empty folder' : 'Postgres')

/** Starts a server, and stops it however the work with it ends. */
export async function withServer(work: (server: Server) => Promise<void>): Promise<void> {
  const server = await startServer()
  try {
    await work(server)
  } finally {
    await server.stop()
  }
}
