import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DatabaseName } from './options.ts'

/** A new empty database, and how it goes away. */
export type Place = { readonly url: string; readonly folder: string; readonly remove: () => Promise<void> }

/** As in production: nothing is answered before it is on the disk. */
const durable = ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on', 'shared_buffers=512MB', 'max_wal_size=4GB']

export async function makePlace(database: DatabaseName): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-bench-'))
  const cluster = database === 'postgres' ? await startPostgres() : undefined
  const remove = async () => {
    await cluster?.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return { url: cluster?.url ?? `sqlite:${join(folder, 'kontor.sqlite')}`, folder, remove }
}

/** The tests' own keeper of a cluster, with durability switched on again. */
async function startPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const script = fileURLToPath(new URL('../../tests/harness/postgres-keeper.ts', import.meta.url))
  const keeper = spawn(process.execPath, [script, ...durable], { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const url = await new Promise<string>((resolve, reject) => {
    keeper.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()))
    keeper.once('exit', () => reject(new Error('Postgres did not start; the reason stands above')))
  })
  const stop = async () => {
    keeper.stdin.end()
    if (keeper.exitCode === null) await once(keeper, 'exit')
  }
  return { url, stop }
}
