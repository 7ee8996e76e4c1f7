import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { PostgresServer } from './postgres-server.ts'

/** So long a killed server's children may need to notice, and to free what they share. */
const triesMax = 50
const againMs = 200

/** A Postgres of the test's own, which it may stop and kill: what it has committed is still there afterwards. */
export async function ownPostgres(settings: readonly string[] = []) {
  const own = await mkdtemp(join(tmpdir(), 'kontor-pg-'))
  const server = new PostgresServer(own, ['synchronous_commit=on', 'full_page_writes=on', ...settings])
  onTestFinished(async () => {
    await server.stop()
    await rm(own, { recursive: true, force: true })
  })
  await server.start()
  return {
    url: server.url,
    /** The folder of its socket, which clients take as its host. */
    folder: own,
    /** An empty database whose tables and indexes lie in another folder, on another disk say. */
    databaseIn: async (folder: string): Promise<string> => {
      const space = join(folder, 'tablespace')
      await mkdir(space)
      server.own(space)
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      await client.query(`create tablespace elsewhere location ${pg.escapeLiteral(space)}`)
      await client.query('create database kontor template template0 tablespace elsewhere')
      await client.end()
      return server.url.replace('/postgres?', '/kontor?')
    },
    /** As `pg_ctl stop -m fast`. */
    stop: () => server.stop(),
    /** As `pg_ctl stop -m immediate`: nothing is written, and the next start recovers. */
    quit: () => server.stop('SIGQUIT'),
    /** As the system does that has no more memory. */
    kill: () => server.stop('SIGKILL'),
    /** Waits for what a killed server has left behind. */
    start: async (): Promise<void> => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await server.start()
        } catch (error) {
          if (attempt === triesMax) throw error
          await sleep(againMs)
        }
      }
    },
  }
}
