import { setTimeout as sleep } from 'node:timers/promises'
import knexFactory from 'knex'
import { Pool, type PoolClient } from 'pg'
import { Caches } from '../lib/caches.ts'
import { isHeapNearlyFull } from '../lib/heap.ts'
import { databaseTurns } from './database-turns.ts'
import type { FairTurns } from '../lib/fair-turns.ts'
import { HeavyReads, theServer } from './heavy-reads.ts'
import { PublishedTopics, type Message, type Reach, type Topic } from './published-topics.ts'
import { DatabaseOverloaded, SerialisationFailure, type Away } from './errors.ts'
import { hasMetOthers, isLost, isSaidByPostgres, ofCommit, ofPostgres } from './postgres-errors.ts'
import { PostgresNotices } from './postgres-notices.ts'
import { requireSessions } from './postgres-sessions.ts'
import { gather, sharedConnections } from './postgres-shared.ts'
import { PostgresSnapshots } from './postgres-snapshots.ts'
import { types } from './postgres-types.ts'
import { postgresReads, postgresWrites, type Send } from './postgres-executor.ts'
import { postgresDialect } from './postgres.ts'
import { sqlOf, type Sql } from './sql.ts'
import { statementCache } from './statement.ts'
import { promised } from '../lib/promises.ts'
import { TransactionState } from './transaction-state.ts'
import { ReadTx, Tx, type Database, type Figure } from './tx.ts'
import { unlessAway, WriteHealth } from './write-health.ts'

export type PostgresOptions = {
  readonly url: string
  readonly statementTimeoutMs: number
  readonly connectionsMax: number
}

const attemptsMax = 8

/** Requests that may wait for a connection: 50 for each of ten, so some 50 ms of small ones. */
const waitingMax = 500

/**
 * A transaction waits only for this server. One that is idle for so long belongs to a node that hangs, and blocks
 * others.
 */
const idleMaxMs = 60_000

/** Connections that small reads share. */
const sharedMax = 2

/** Connections that offloaded reads leave to others: those that small reads share, and two for writes. */
const lightMin = sharedMax + 2

/** Reads of all records of an object: each keeps a processor of the database busy that others wait for. */
const scanShare = 0.1

/** Of two turns one workspace takes one, so that another finds the other free. */
const scansMin = 2

/**
 * Offloaded reads that may queue, of one workspace a quarter. Each holds a request; after so many it would be seconds.
 */
const heavyWaitingMax = 1000

/** Whatever the server's default: a statement must see what was committed just before it (docs/decisions/0045). */
const begin = 'begin isolation level read committed'

/**
 * The grace period after the statement timeout. The server should have cancelled the statement itself; if it has not
 * answered by then, the connection is dead.
 */
const silentMaxMs = 5000

/**
 * What a connection may take to be made or to be free, however short statements are: a loaded machine starts the
 * process of a connection late, and is what needs patience most.
 */
const connectMsMin = 10_000

/** Attempts at work whose connection broke; a server that restarts ends all connections at once. */
const triesMax = 3
const triesPauseMs = 20

/**
 * Postgres with a connection pool. Connections pipeline: BEGIN is sent with the first statement, and statements that
 * are not awaited one by one share a round trip.
 */
export class PostgresDatabase implements Database {
  readonly reader: ReadTx
  readonly pool: Pool
  readonly #sql = sqlOf(knexFactory({ client: 'pg' }), postgresDialect)
  readonly dialect = this.#sql.dialect
  readonly #compiler = { sql: this.#sql, compiled: statementCache(this.#sql) }
  readonly #shared: ReturnType<typeof sharedConnections>
  readonly #heavy: FairTurns
  readonly #scans: FairTurns
  readonly #subscriptions = new PublishedTopics()
  readonly #notices: PostgresNotices
  readonly #health = new WriteHealth()

  readonly #options: PostgresOptions

  constructor(options: PostgresOptions) {
    this.#options = options
    this.pool = new Pool({
      connectionString: options.url,
      max: options.connectionsMax,
      pipeline: true,
      connectionTimeoutMillis: Math.max(connectMsMin, options.statementTimeoutMs),
      query_timeout: options.statementTimeoutMs + silentMaxMs,
      // Detects a peer that disappeared silently (a machine that died, a firewall that dropped the connection) between
      // statements too.
      keepAlive: true,
      // A connection keeps every statement that it ever prepared, and filters have many shapes, so it is closed after a
      // while.
      maxLifetimeSeconds: 3600,
      types,
      // Parallel workers cost more than they gain on queries of a millisecond (docs/decisions/0004).
      options:
        `-c max_parallel_workers_per_gather=0 -c statement_timeout=${options.statementTimeoutMs} -c ` +
        `idle_in_transaction_session_timeout=${idleMaxMs} -c jit=off`,
      application_name: 'kontor',
    })
    // The pool replaces a connection that breaks, idle or in use. Its error events need a listener, or the process
    // ends.
    this.pool.on('error', () => undefined)
    this.pool.on('connect', (client) => client.on('error', () => undefined))
    this.#notices = new PostgresNotices({
      url: options.url,
      send: (query) => this.pool.query(query),
      isAttended: (topic) => this.#subscriptions.isAttended(topic),
      onHeard: (heard) => this.#subscriptions.hear(heard),
    })
    this.#shared = sharedConnections(this.pool, options.connectionsMax < 4 ? 1 : sharedMax)
    const send = triedAgain((query) => this.pool.query(query))
    const turns = (atOnceMax: number): FairTurns =>
      databaseTurns({
        atOnceMax: Math.max(1, atOnceMax),
        waitingMax: heavyWaitingMax,
        waitMsMax: options.statementTimeoutMs,
        mayJoin: () => !isHeapNearlyFull(),
      })
    this.#heavy = turns(options.connectionsMax - lightMin)
    this.#scans = turns(Math.max(scansMin, Math.floor(options.connectionsMax * scanShare)))
    const heavy = new HeavyReads(this.#heavy, send)
    const scans = new HeavyReads(this.#scans, (query) => this.#heavy.run(query.party ?? theServer, () => send(query)))
    const reads = postgresReads(this.#compiler, {
      small: triedAgain(this.#shared.send),
      heavy: heavy.send,
      scan: scans.send,
      other: send,
    })
    const inHeavyTurn = <T>(party: string, work: () => Promise<T>) => this.#heavy.run(party, work)
    const snapshots = new PostgresSnapshots({
      pool: this.pool,
      compiler: this.#compiler,
      reads,
      turns: {
        heavy: { run: inHeavyTurn },
        scan: { run: (party, work) => this.#scans.run(party, () => inHeavyTurn(party, work)) },
      },
    })
    this.reader = new ReadTx({ ...reads, inOneState: (work, request) => snapshots.run(work, request) })
  }

  write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#health.noting(() => this.#write(work))
  }

  async #write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const published = new Set<Topic>()
      try {
        const value = await this.#attempt(work, published)
        this.#subscriptions.publish(published)
        this.#notices.tell(published)
        return value
      } catch (error) {
        const failed =
          error instanceof SerialisationFailure || hasMetOthers(error) || (isLost(error) && attempt < triesMax)
        if (!failed) throw error
        if (attempt === attemptsMax)
          throw new DatabaseOverloaded(`Others have come in between ${attemptsMax} times`, { cause: error })
        // Spread by attempt; the jitter comes from the length of the other transaction.
        await sleep(2 ** attempt)
      }
    }
  }

  isCrowded(): boolean {
    return this.pool.waitingCount >= waitingMax
  }

  get figures(): Figure[] {
    const { pool } = this
    return [
      {
        name: 'connections_max',
        help: 'Connections to Postgres that the pool may open.',
        kind: 'gauge',
        read: () => pool.options.max,
      },
      {
        name: 'connections',
        help: 'Connections to Postgres that are open.',
        kind: 'gauge',
        read: () => pool.totalCount,
      },
      { name: 'connections_idle', help: 'Idle connections.', kind: 'gauge', read: () => pool.idleCount },
      {
        name: 'connections_waiting',
        help: 'Requests that wait for a free connection.',
        kind: 'gauge',
        read: () => pool.waitingCount,
      },
      {
        name: 'reads_waiting',
        help: 'Heavy reads that wait for their turn.',
        kind: 'gauge',
        read: () => this.#heavy.waiting + this.#scans.waiting,
      },
    ]
  }

  subscribe(topic: Topic, listener: () => void, reach?: Reach): () => void {
    this.#notices.listen()
    return this.#subscriptions.subscribe(topic, listener, reach)
  }

  send(message: Message): void {
    this.#notices.send(message)
  }

  receive(name: string, listener: (data: unknown) => void): void {
    this.#notices.listen()
    this.#subscriptions.receive(name, listener)
  }

  get hearsOthers(): boolean {
    return this.#notices.isHeard
  }

  async ping(): Promise<void> {
    await this.pool.query('select 1').catch(rethrown)
    await this.#health.assert(() => this.probe())
  }

  get writesAway(): Away | undefined {
    return this.#health.away
  }

  async probe(): Promise<void> {
    await this.write((tx) => tx.change(touchMigration)).catch(unlessAway)
  }

  /** Throws `DatabaseRefused` where the server cannot work on what it is connected to. */
  requireSessions(): Promise<void> {
    return requireSessions(this.pool, this.#options)
  }

  async close(): Promise<void> {
    this.#shared.close()
    await this.#notices.close()
    await this.pool.end()
  }

  async #attempt<T>(work: (tx: Tx) => Promise<T>, published: Set<Topic>): Promise<T> {
    const client = await this.#connect()
    const state = new TransactionState()
    const behind: (() => void)[] = []
    const sendLast = (): void => {
      if (!state.hasEnded) for (const send of behind) send()
    }
    const send: Send = (query) => {
      gather(client, sendLast)
      return client.query(query)
    }
    const executor = postgresWrites(this.#compiler, { send, published, caches: new Caches(), state, behind })
    let broken: Error | undefined
    try {
      gather(client, sendLast)
      const begun = promised(() => client.query(begin).catch(rethrown))
      const value = await work(new Tx(executor))
      executor.flush()
      state.end()
      state.assertSound()
      await begun
      await commit(client, state)
      return value
    } catch (error) {
      state.end()
      await client.query('rollback').catch((rollbackError: Error) => (broken = rollbackError))
      throw state.causeOf(error)
    } finally {
      client.release(broken)
    }
  }

  async #connect(): Promise<PoolClient> {
    return this.pool.connect().catch(rethrown)
  }
}

/** Rewrites a row unchanged. */
const touchMigration = (sql: Sql) => sql`update kontor_migration set name = name where number = 1`

const rethrown = (error: unknown): never => {
  throw ofPostgres(error)
}

/**
 * A read changes nothing, so if its connection broke, it is sent again on another. A standby cancels reads that
 * conflict with what it replays from its primary; those are sent again too.
 */
const triedAgain =
  (send: Send): Send =>
  async (query) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(query)
      } catch (error) {
        const told = hasMetOthers(error)
          ? new DatabaseOverloaded('The read stood in the way of others', { cause: error })
          : ofPostgres(error)
        if (!(isLost(told) || hasMetOthers(error)) || attempt === triesMax) throw told
        await sleep(triesPauseMs * attempt)
      }
    }
  }

/**
 * Postgres answers the commit of a failed transaction with ROLLBACK; in that case the failed statement was not awaited.
 */
async function commit(client: PoolClient, state: TransactionState): Promise<void> {
  const { command } = await client
    .query('commit')
    .catch((error: unknown) => state.rethrowFirst(ofCommit(error), isSaidByPostgres))
  if (command !== 'COMMIT') await state.rethrowFirst(new Error('The transaction had failed before its commit'))
}
