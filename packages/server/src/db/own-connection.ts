import { Client } from 'pg'

type Options = {
  readonly url: string
  /** Names the connection in `pg_stat_activity`. */
  readonly name: string
  /** Longest that each step may take: the connection, and a statement on it. */
  readonly stepMsMax: number
}

/** Does some work on a connection of its own, since those of a pool may all be at work, or silent. */
export async function onOwnConnection<T>(
  { url, name, stepMsMax }: Options,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: stepMsMax,
    query_timeout: stepMsMax,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await work(client)
  } finally {
    void client.end().catch(() => undefined)
  }
}
