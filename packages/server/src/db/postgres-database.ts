import { setTimeout as sleep } from 'node:timers/promises'
import knexFactory from 'knex'
import type { Pool, PoolClient } from 'pg'
import { Caches } from '../lib/caches.ts'
import { isString, memberOf } from '../lib/guards.ts'
import { HeavyReads } from './heavy-reads.ts'
import { PublishedTopics, type Message, type Reach, type Topic } from './published-topics.ts'
import { NodeWatch } from './distribution/node-watch.ts'
import { DatabaseOverloaded, SerialisationFailure, type Away } from './errors.ts'
import { hasMetOthers, isLost, isOutdated, isSaidByPostgres, ofCommit, ofPostgres } from './postgres-errors.ts'
import { migratedMessage } from './migrations/connected.ts'
import { OthersAtWork } from './others-at-work.ts'
import { PostgresNotices } from './postgres-notices.ts'
import { Connections } from './postgres-connections.ts'
import { planningOnce, planOnce } from './postgres-plans.ts'
import { createPool, poolName } from './postgres-pool.ts'
import { SilenceWatch } from './postgres-silence.ts'
import { requireSessions } from './postgres-sessions.ts'
import { gather, sharedConnections } from './postgres-shared.ts'
import { PostgresSnapshots } from './postgres-snapshots.ts'
import { readTurns, sharedMax } from './postgres-turns.ts'
import { createReplicas, positionOf, selectPosition, type ReplicaOptions, type Replicas } from './replicas/index.ts'
import { postgresReads, postgresWrites, type Send } from './postgres-executor.ts'
import { postgresDialect } from './postgres.ts'
import { SchemaWatch } from './schema-watch.ts'
import { sqlOf, type Sql } from './sql.ts'
import { statementCache } from './statement.ts'
import { handled, promised } from '../lib/promises.ts'
import { TransactionState } from './transaction-state.ts'
import { ReadTx, Tx, type Database, type Figure, type OnPosition, type WriteRequest } from './tx.ts'
import { unlessAway, WriteHealth } from './write-health.ts'

export type PostgresOptions = {
  readonly url: string
  /** Postgres itself, for notifications, where `url` leads to a pooler that shares connections. */
  readonly listenUrl?: string | undefined
  readonly statementTimeoutMs: number
  readonly connectionsMax: number
  /** Standbys that serve reads; by default none. */
  readonly replicas?: ReplicaOptions | undefined
}

const noReplicas: ReplicaOptions = { urls: [], lagMs: 0 }

const attemptsMax = 8

/** Requests that may wait for a connection: 50 for each of ten, so some 50 ms of small ones. */
const waitingMax = 500

/** Takes turns for those who check the database: they wait for nobody's work. */
const health = 'health'

/** Independent of the server's default: a statement must see what was committed before it (docs/decisions/0045). */
const begin = 'begin isolation level read committed'

const withoutWaiting = 'set local synchronous_commit = off'

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
  readonly replicas: Replicas | undefined
  readonly #sql = sqlOf(knexFactory({ client: 'pg' }), postgresDialect)
  readonly dialect = this.#sql.dialect
  readonly #compiler = { sql: this.#sql, compiled: statementCache(this.#sql), nodes: new NodeWatch() }
  readonly #connections: Connections
  readonly #shared: ReturnType<typeof sharedConnections>
  readonly #turns: ReturnType<typeof readTurns>
  readonly #subscriptions = new PublishedTopics()
  readonly #notices: PostgresNotices
  readonly #watch: SchemaWatch
  readonly #silence: SilenceWatch
  readonly #health = new WriteHealth()
  readonly #planningOnce = planningOnce()
  readonly #others = new OthersAtWork()

  readonly #options: PostgresOptions

  constructor(options: PostgresOptions) {
    this.#options = options
    this.#silence = new SilenceWatch({
      url: options.url,
      name: poolName,
      onSilence: () => void this.#notices.check(),
    })
    // A pooler watches its own connections.
    const isDirect = options.listenUrl === undefined
    this.pool = createPool({ ...options, ...(isDirect && { watch: this.#silence }) })
    this.#watch = new SchemaWatch(this.pool, () => this.#notices.isHeard)
    this.#subscriptions.receive(migratedMessage, () => void this.#watch.look())
    this.#notices = new PostgresNotices({
      url: options.listenUrl ?? options.url,
      send: (query) => this.#connections.query(query),
      isAttended: (topic) => this.#subscriptions.isAttended(topic),
      onHeard: (heard) => this.#subscriptions.hear(heard),
      onConnected: (client) => this.#watch.lookBehindLock(client),
      onSilence: (sinceMs) => this.#silence.dropQuiet(sinceMs),
    })
    const shared = options.connectionsMax < 4 ? 1 : sharedMax
    // The settings of a connection behind a pooler are those of its role.
    this.#shared = sharedConnections(this.pool, shared, isDirect ? planOnce : undefined)
    const assertFits = (): void => this.#watch.assertFits()
    this.#connections = new Connections(this.pool, options.connectionsMax - shared, assertFits)
    const send = triedAgain((query) => this.#connections.query(query, query.party))
    this.#turns = readTurns(options)
    const { turns } = this.#turns
    const heavy = new HeavyReads(turns.heavy, send)
    const scans = new HeavyReads(turns.scan, send)
    const reads = postgresReads(this.#compiler, {
      small: triedAgain(async (query) => {
        assertFits()
        return this.#shared.send(query)
      }),
      heavy: heavy.send,
      scan: scans.send,
      other: send,
    })
    const snapshots = new PostgresSnapshots({ connections: this.#connections, compiler: this.#compiler, turns })
    this.reader = new ReadTx({ ...reads, inOneState: (work, request) => snapshots.run(work, reads, request) })
    this.replicas = createReplicas(options.replicas ?? noReplicas, options, this.reader.executor)
  }

  write<T>(work: (tx: Tx) => Promise<T>, request: WriteRequest = {}): Promise<T> {
    return this.#health.noting(() => this.#write(work, request))
  }

  async #write<T>(work: (tx: Tx) => Promise<T>, request: WriteRequest): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const published = new Set<Topic>()
      try {
        const value = await this.#attempt(work, published, request)
        this.#subscriptions.publish(published)
        this.#notices.tell(published)
        return value
      } catch (error) {
        const failed =
          error instanceof SerialisationFailure || hasMetOthers(error) || (isLost(error) && attempt < triesMax)
        if (isOutdated(error)) void this.#watch.look()
        if (!failed) throw error
        if (attempt === attemptsMax)
          throw new DatabaseOverloaded(`Others have come in between ${attemptsMax} times`, { cause: error })
        // Spread by attempt; the jitter comes from the length of the other transaction.
        await sleep(2 ** attempt)
      }
    }
  }

  isCrowded(): boolean {
    return this.#connections.waiting >= waitingMax
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
        read: () => this.#connections.waiting,
      },
      {
        name: 'reads_waiting',
        help: 'Heavy reads that wait for their turn.',
        kind: 'gauge',
        read: () => this.#turns.waiting(),
      },
      ...(this.replicas?.figures ?? []),
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
    await this.#connections.query('select 1', health).catch(rethrown)
    await this.#health.assert(() => this.probe())
  }

  get writesAway(): Away | undefined {
    return this.#health.away
  }

  async probe(): Promise<void> {
    await this.write((tx) => tx.change(touchMigration), { party: health }).catch(unlessAway)
  }

  /** Throws `DatabaseRefused` where the server cannot work on what it is connected to. */
  requireSessions(): Promise<void> {
    return requireSessions(this.pool, this.#options)
  }

  /**
   * Joins the servers and workers on this database, which migrations see from now on; throws `MigrationRefused` where
   * the database was migrated meanwhile.
   */
  async join(): Promise<void> {
    await this.#watch.start(() => this.#notices.join())
  }

  /** Resolves once the database was migrated to a version that this process does not know; it then refuses all work. */
  get outdated(): Promise<Error> {
    return this.#watch.refused
  }

  async close(): Promise<void> {
    this.#watch.stop()
    this.#silence.close()
    this.#shared.close()
    await this.#notices.close()
    await this.replicas?.close()
    await this.pool.end()
  }

  async #attempt<T>(
    work: (tx: Tx) => Promise<T>,
    published: Set<Topic>,
    { party, onPosition, plansOnce = false, isDoneAgain = false }: WriteRequest,
  ): Promise<T> {
    const client = await this.#connections.connect(party).catch(rethrown)
    const state = new TransactionState()
    const behind: (() => void)[] = []
    const sendLast = (): void => {
      if (!state.hasEnded) for (const send of behind) send()
    }
    const send: Send = (query) => {
      gather(client, sendLast)
      return client.query(query)
    }
    let broken: Error | undefined
    try {
      gather(client, sendLast)
      const planning = plansOnce ? this.#planningOnce(client) : undefined
      const settings = [planning, isDoneAgain ? withoutWaiting : undefined].filter(isString)
      const begun = promised(() => client.query([begin, ...settings].join('; ')).catch(rethrown))
      const executor = postgresWrites(this.#compiler, {
        send,
        published,
        caches: new Caches(),
        state,
        behind,
        plansOnce: planning !== undefined,
        others: this.#others,
      })
      const value = await work(new Tx(executor))
      executor.flush()
      state.end()
      state.assertSound()
      await begun
      await (this.replicas && onPosition ? commitAt(client, state, onPosition) : commit(client, state))
      return value
    } catch (error) {
      state.end()
      await client.query('rollback').catch((rollbackError: Error) => (broken = rollbackError))
      throw state.causeOf(error)
    } finally {
      client.release(broken)
    }
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

/** Commits, and asks in the same packet for the position behind it. */
async function commitAt(client: PoolClient, state: TransactionState, onPosition: OnPosition): Promise<void> {
  gather(client)
  const committed = handled(commit(client, state))
  const selected = handled(client.query(selectPosition))
  await committed
  // Without a position, the change is committed all the same.
  const { rows } = await selected.catch(() => ({ rows: [] }))
  if (rows.length > 0) onPosition(positionOf(String(memberOf(rows[0], 'lsn'))))
}
