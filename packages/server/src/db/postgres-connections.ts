import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg'
import type { FairTurns } from '../lib/fair-turns.ts'
import { defined } from '../lib/guards.ts'
import { databaseTurns } from './database-turns.ts'
import { theServer } from './heavy-reads.ts'

/** Of so many connections one is left to others. With fewer, a transaction could wait for a read of its own. */
const sharedOutFrom = 4

/**
 * The connections of a pool, for which workspaces take turns: the next free one goes to the workspace that has the
 * fewest (docs/decisions/0235).
 */
export class Connections {
  readonly #pool: Pool
  readonly #turns: FairTurns
  readonly #assertFits: () => void

  /** `count` is how many connections of the pool nothing else takes; `assertFits` may refuse all work. */
  constructor(pool: Pool, count: number, assertFits: () => void = () => undefined) {
    const atOnceMax = Math.max(1, count)
    this.#pool = pool
    this.#assertFits = assertFits
    this.#turns = databaseTurns({
      atOnceMax,
      eachMax: atOnceMax < sharedOutFrom ? atOnceMax : atOnceMax - 1,
      // Limited by the calls of a workspace that may be at work, and by those that may wait for a connection.
      waitingMax: Infinity,
      waitMsMax: defined(pool.options.connectionTimeoutMillis),
      mayJoin: () => true,
    })
  }

  /** Requests that wait for a connection. */
  get waiting(): number {
    return this.#turns.waiting + this.#pool.waitingCount
  }

  /** Sends one statement on the next connection that is free. */
  query(query: QueryConfig | string, party = theServer): Promise<QueryResult> {
    return this.#turns.run(party, async () => {
      this.#assertFits()
      return this.#pool.query(query)
    })
  }

  /** Returns a client, whose turn ends when it is released. */
  connect(party = theServer): Promise<PoolClient> {
    return new Promise((resolve, reject) => {
      const lend = async (): Promise<void> => {
        this.#assertFits()
        const client = await this.#pool.connect()
        const released = Promise.withResolvers<void>()
        const release = client.release.bind(client)
        client.release = (error) => {
          release(error)
          released.resolve()
        }
        resolve(client)
        await released.promise
      }
      this.#turns.run(party, lend).catch(reject)
    })
  }
}
