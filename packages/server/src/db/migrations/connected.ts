import type { Pool, PoolClient } from 'pg'

/** The key of the advisory lock, "kont" in ASCII: any number that no other program on the database takes. */
export const migrationLock = 0x6b6f6e74

/** Sent with each migration: processes that run beside it look whether they know the schema that it leaves. */
export const migratedMessage = 'migrated'
export const migratedNotice = `select pg_notify('kontor', '{"from":0,"message":{"name":"${migratedMessage}"}}')`

/** Each server and worker listens on a connection of this name, followed by the number of migrations that it knows. */
const listening = 'kontor-listen'

export const listenerName = (known: number): string => `${listening} ${known}`

/** A server or worker that works on a database. */
export type ConnectedProcess = {
  /** The number of migrations that it knows; 0 if it is of a version that does not say so. */
  readonly known: number
  /** The address of its machine, as Postgres sees it. */
  readonly address: string
}

const select = `select application_name as name, coalesce(host(client_addr), 'this machine') as address
  from pg_stat_activity
  where datname = current_database() and application_name ~ '^${listening}( [0-9]+)?$'
  order by address, name`

/** Lists the servers and workers that are connected, by their connections for notices. */
export async function connectedProcesses(db: Pool | PoolClient): Promise<ConnectedProcess[]> {
  const { rows } = await db.query<{ name: string; address: string }>(select)
  return rows.map(({ name, address }) => ({ known: Number(name.slice(listening.length)), address }))
}
