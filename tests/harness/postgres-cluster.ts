/** Vitest's global setup of the `postgres` project: one cluster a run. */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Which database this run of the file is on. */
    database: 'sqlite' | 'postgres'
    /** A superuser's URL of the cluster; provided in the `postgres` project only. */
    postgresUrl: string
    /** The same of the nodes that hold the shards, where tables are distributed over several. */
    workerUrls?: readonly string[]
  }
}

/** Hundreds of databases that live for seconds: nothing is gained by looking after each of them once a minute. */
const settings = ['autovacuum=off']

const keepers: ChildProcessByStdio<Writable, Readable, null>[] = []

/** Starts the cluster and provides its URL. Throws with Postgres's own words when it does not start. */
export async function setup(project: TestProject): Promise<void> {
  project.provide('postgresUrl', await startCluster())
}

/** Starts the cluster, with settings beside those of all tests, and returns a superuser's URL of it. */
export async function startCluster(more: readonly string[] = []): Promise<string> {
  const script = fileURLToPath(new URL('postgres-keeper.ts', import.meta.url))
  // A group of its own: Ctrl-C in the terminal must not reach Postgres before the tests.
  const args = [script, ...settings, ...more]
  const keeper = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  keepers.push(keeper)
  return new Promise<string>((resolve, reject) => {
    keeper.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()))
    keeper.once('exit', () => reject(new Error('the Postgres for tests did not start; the reason stands above')))
  })
}

/** Closes the pipes of the keepers, and waits until their clusters are gone. */
export async function teardown(): Promise<void> {
  await Promise.all(
    keepers.map(async (keeper) => {
      if (keeper.exitCode !== null) return
      keeper.stdin.end()
      await once(keeper, 'exit')
    }),
  )
}
