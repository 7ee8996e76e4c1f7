import type { Socket } from 'node:net'
import type { Pool, PoolClient, QueryResult } from 'pg'
import { defined, memberOf } from '../lib/guards.ts'
import { handled } from '../lib/promises.ts'
import type { Send } from './postgres-executor.ts'

/**
 * One connection for many concurrent small reads. They queue in Postgres instead of waiting for a free connection here,
 * and those of one turn of the event loop are sent together: half the system calls and wake-ups of a connection each.
 * Every read is a transaction of its own, so the failure of one does not affect the others.
 */
class SharedConnection {
  readonly #pool: Pool
  readonly #settings: string | undefined
  #lease: Lease | undefined

  constructor(pool: Pool, settings: string | undefined) {
    this.#pool = pool
    this.#settings = settings
  }

  readonly send: Send = async (query): Promise<QueryResult> => {
    const lease = (this.#lease ??= this.#take())
    lease.reads++
    try {
      const client = await lease.client
      gather(client)
      return await client.query(query)
    } finally {
      lease.reads--
      if (lease.ended && lease.reads === 0) release(lease)
    }
  }

  /** Returns the connection to the pool once its reads are answered; the next read takes another. */
  close(): void {
    if (this.#lease !== undefined) this.#end(this.#lease)
  }

  #take(): Lease {
    const lease: Lease = { client: handled(this.#pool.connect()), reads: 0, ended: false }
    void this.#watch(lease)
    return lease
  }

  async #watch(lease: Lease): Promise<void> {
    const end = (): void => this.#end(lease)
    try {
      const client = await lease.client
      client.once('error', end)
      client.once('end', end)
      if (this.#settings !== undefined) await client.query(this.#settings)
      // As for any other connection: its prepared statements must not accumulate for ever.
      setTimeout(end, lifetimeMs).unref()
    } catch {
      // The pending reads fail; the next read tries again.
      end()
    }
  }

  #end(lease: Lease): void {
    if (this.#lease === lease) this.#lease = undefined
    if (lease.ended) return
    lease.ended = true
    if (lease.reads === 0) release(lease)
  }
}

/**
 * Several shared connections in rotation: where other processes compete for the processor, one Postgres process gets
 * only one share of it. `settings` are set when one is taken.
 */
export function sharedConnections(
  pool: Pool,
  count: number,
  settings: string | undefined,
): { readonly send: Send; readonly close: () => void } {
  const all = Array.from({ length: count }, () => new SharedConnection(pool, settings))
  let turn = 0
  return {
    send: (query) => defined(all[turn++ % count]).send(query),
    close: () => all.forEach((one) => one.close()),
  }
}

type Lease = { readonly client: Promise<PoolClient>; reads: number; ended: boolean }

const release = (lease: Lease): void =>
  void lease.client.then(
    (client) => client.release(true),
    () => undefined,
  )

const lifetimeMs = 3_600_000

/**
 * The socket is not part of pg's public API. Without it every statement is sent by itself, which is slower but no less
 * correct.
 */
export const socketOf = (client: object): Socket | undefined => {
  const stream = memberOf(memberOf(client, 'connection'), 'stream')
  return typeof memberOf(stream, 'cork') === 'function' && typeof memberOf(stream, 'uncork') === 'function'
    ? (stream as Socket)
    : undefined
}

/**
 * Sends the statements of one turn of the event loop as one packet: BEGIN with the first, all inserts of a record
 * together. Each alone would be a system call here and wake Postgres up there, which costs as much as the statement.
 * `sendLast` may send more behind them.
 */
export function gather(client: PoolClient, sendLast: () => void = () => undefined): void {
  const stream = socketOf(client)
  if (stream === undefined || stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => {
    sendLast()
    stream.uncork()
  })
}
