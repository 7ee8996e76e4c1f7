import type { Socket } from 'node:net'
import type { Pool, PoolClient, QueryResult } from 'pg'
import type { Send } from './postgres-tx.ts'

/**
 * One connection for many small reads at once. They queue in Postgres instead of waiting for a free connection here, and
 * those of one turn travel together: half the system calls and wake-ups of a connection each. Every read is a transaction of
 * its own, so the failure of one does not touch the others.
 */
export class SharedConnection {
  readonly #pool: Pool
  #client: Promise<PoolClient> | undefined

  constructor(pool: Pool) {
    this.#pool = pool
  }

  readonly send: Send = async (query): Promise<QueryResult> => {
    const client = await (this.#client ??= this.#open())
    gather(client)
    return client.query(query)
  }

  /** Gives the connection back to the pool; it is taken again by the next read. */
  async close(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    const opened = await client?.catch(() => undefined)
    opened?.release(true)
  }

  #open(): Promise<PoolClient> {
    const opened = this.#pool.connect().then((client) => {
      client.once('error', lose)
      client.once('end', lose)
      // As for any other connection: what it has prepared shall not pile up for ever.
      setTimeout(lose, lifetimeMs).unref()
      return client
    })
    const lose = (): void => {
      if (this.#client === opened) void this.close()
    }
    opened.catch(lose)
    return opened
  }
}

const lifetimeMs = 3_600_000

/**
 * Statements of one turn leave as one packet: BEGIN with the first, all inserts of a record together. Each by itself
 * would be a system call here and wake Postgres up there, which costs as much as the statement.
 */
export function gather(client: PoolClient): void {
  const { stream } = (client as PoolClient & { readonly connection: { readonly stream: Socket } }).connection
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}
