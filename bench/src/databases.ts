import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, escapeIdentifier } from 'pg'
import type { DatabaseName } from './options.ts'

/** Where the databases of a run are: a folder for SQLite's files, a Postgres cluster. */
export type Databases = {
  readonly database: DatabaseName
  readonly folder: string
  /** A new database, in place of one of this name; empty, or a copy of another that no process has open. */
  readonly create: (name: string, copyOf?: string) => Promise<string>
  readonly urlOf: (name: string) => string
  readonly drop: (name: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** As in production: nothing is answered before it is on the disk. */
const durable = ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on', 'shared_buffers=512MB', 'max_wal_size=4GB']

/** In a folder that is kept, databases stay for the next run; without one, everything goes with the run. */
export async function openDatabases(database: DatabaseName, keptIn: string | undefined): Promise<Databases> {
  const folder = keptIn === undefined ? await mkdtemp(join(tmpdir(), 'kontor-bench-')) : keptIn
  await mkdir(folder, { recursive: true })
  const databases =
    database === 'postgres' ? await postgresDatabases(folder, keptIn !== undefined) : sqliteDatabases(folder)
  const close = async () => {
    await databases.close()
    if (keptIn === undefined) await rm(folder, { recursive: true, force: true })
  }
  return { ...databases, close }
}

function sqliteDatabases(folder: string): Databases {
  const pathOf = (name: string) => join(folder, `${name}.sqlite`)
  const urlOf = (name: string) => `sqlite:${pathOf(name)}`
  const drop = async (name: string) => {
    for (const suffix of ['', '-wal', '-shm']) await rm(`${pathOf(name)}${suffix}`, { force: true })
  }
  const create = async (name: string, copyOf?: string) => {
    await drop(name)
    if (copyOf !== undefined) await copyFile(pathOf(copyOf), pathOf(name))
    return urlOf(name)
  }
  return { database: 'sqlite', folder, create, urlOf, drop, close: async () => undefined }
}

async function postgresDatabases(folder: string, isKept: boolean): Promise<Databases> {
  const cluster = await startPostgres(isKept ? ['--keep', join(folder, 'postgres')] : [])
  const admin = async (text: string) => {
    const client = new Client({ connectionString: cluster.url })
    await client.connect()
    try {
      await client.query(text)
    } finally {
      await client.end()
    }
  }
  const urlOf = (name: string) => Object.assign(new URL(cluster.url), { pathname: `/${name}` }).href
  const drop = (name: string) => admin(`drop database if exists ${escapeIdentifier(name)} with (force)`)
  const create = async (name: string, copyOf = 'template0') => {
    await drop(name)
    // Copied as files: through the log, gigabytes would take minutes.
    await admin(`create database ${escapeIdentifier(name)} template ${escapeIdentifier(copyOf)} strategy file_copy`)
    return urlOf(name)
  }
  return { database: 'postgres', folder, create, urlOf, drop, close: cluster.stop }
}

/** The tests' own keeper of a cluster, with durability switched on again. */
async function startPostgres(options: readonly string[]): Promise<{ url: string; stop: () => Promise<void> }> {
  const script = fileURLToPath(new URL('../../tests/harness/postgres-keeper.ts', import.meta.url))
  const keeper = spawn(process.execPath, [script, ...options, ...durable], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
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
