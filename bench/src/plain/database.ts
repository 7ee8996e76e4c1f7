import Driver from 'better-sqlite3'
import { Client } from 'pg'
import { cpuMsOf, parentOf } from '../usage.ts'

/** Hands a connection to Postgres to some work. */
async function connected<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const pathOf = (url: string): string | undefined =>
  url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined

/**
 * CPU time of the database's own processes so far: all of the cluster, those that have ended included. SQLite has none:
 * it works in those of the server.
 */
export async function databaseCpu(url: string): Promise<(() => number | undefined) | undefined> {
  if (pathOf(url) !== undefined) return undefined
  const postmaster = await connected(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return rows[0] && parentOf(rows[0].pid)
  })
  return postmaster === undefined ? undefined : () => cpuMsOf(postmaster)
}

/** The bytes of a database on the disk, once it is tidy. */
export async function bytesOf(url: string): Promise<number> {
  const path = pathOf(url)
  if (path === undefined)
    return connected(url, async (client) => {
      await client.query('vacuum (analyze)')
      const { rows } = await client.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes')
      return Number(rows[0]?.bytes)
    })
  const db = new Driver(path, { timeout: 60_000 })
  const [pages, size] = ['page_count', 'page_size'].map((name) => db.pragma(name, { simple: true }) as number)
  db.close()
  return (pages as number) * (size as number)
}
