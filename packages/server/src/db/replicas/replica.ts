import { DatabaseError, type Pool, type PoolClient } from 'pg'
import { isString, memberOf } from '../../lib/guards.ts'
import { handled } from '../../lib/promises.ts'
import { DatabaseOverloaded, DatabaseUnavailable } from '../errors.ts'
import { type Executor, type Query, readsOfOneState } from '../executor.ts'
import { onOwnConnection } from '../own-connection.ts'
import { Connections } from '../postgres-connections.ts'
import { createPool, type ConnectionOptions } from '../postgres-pool.ts'
import { PostgresSnapshots } from '../postgres-snapshots.ts'
import { ask } from '../postgres-executor.ts'
import { ofPostgres } from '../postgres-errors.ts'
import { socketOf } from '../postgres-shared.ts'
import type { ReadTurns } from '../postgres-turns.ts'
import { ReadTx, type ReplicaStanding, type ReplicaState } from '../tx.ts'
import type { PrimaryPositions } from './primary-positions.ts'
import { positionOf } from './position.ts'

/** A replica does not serve a read: it lags, does not respond, or is no standby. The primary does. */
export class NotServed extends Error {
  override readonly name = 'NotServed'

  constructor(reason: string, options: ErrorOptions = {}) {
    super(`The replica does not serve the read: ${reason}`, options)
  }
}

/**
 * Returns whether a read failed because of the replica: it stopped, ended the read for its primary (40001), or lacks
 * what a migration has just made. On the primary it may succeed; whatever else went wrong would go wrong there too.
 */
export const isFaultOfReplica = (error: unknown): boolean =>
  error instanceof NotServed || error instanceof DatabaseUnavailable || error instanceof DatabaseError

/** Conditions for one read: what it must be able to see. */
export type Required = {
  /** The position of what this caller has seen or written. */
  readonly position: string
  readonly isFit: (tx: ReadTx) => Promise<boolean>
}

type Options = {
  readonly pool: ConnectionOptions
  readonly compiler: Pick<Executor, 'sql' | 'compiled'>
  readonly turns: ReadTurns
  readonly positions: PrimaryPositions
  /** Names the database of the primary; undefined where it cannot be found out. */
  readonly identity: () => Promise<string | undefined>
  /** Longest that it may take to reply before it counts as away. */
  readonly silentMaxMs: number
}

/** The interval in which a replica that is not in use is tried, while there are reads. */
const triedEveryMs = 500

const selectState = 'select pg_is_in_recovery() as is_standby, pg_last_wal_replay_lsn()::text as replayed'

/** Selects a name that a cluster and its standbys share, and the database in it. */
const selectIdentity =
  "select (select system_identifier from pg_control_system())::text || '/' || " +
  '(select oid from pg_database where datname = current_database())::text as identity'

/** One standby. It is left out while it lags, does not respond or is not a standby, and tried again in between. */
export class Replica implements ReplicaStanding {
  readonly name: string
  readonly #options: Options
  readonly #pool: Pool
  readonly #connections: Connections
  readonly #clients = new Set<PoolClient>()
  readonly #snapshots: PostgresSnapshots
  #state: ReplicaState = 'unknown'
  #triedMs = -Infinity
  #lagMs = 0

  constructor(options: Options) {
    this.#options = options
    const { url } = options.pool
    this.name = URL.parse(url)?.host || 'socket'
    this.#pool = createPool(options.pool)
    this.#connections = new Connections(this.#pool, options.pool.connectionsMax)
    this.#pool.on('connect', (client) => this.#clients.add(client))
    this.#pool.on('remove', (client) => this.#clients.delete(client))
    this.#snapshots = new PostgresSnapshots({
      connections: { connect: (party) => this.#connect(party) },
      compiler: { ...options.compiler, isReplica: true },
      turns: options.turns,
    })
  }

  get state(): ReplicaState {
    return this.#state
  }

  /** Its lag when it was last used, in milliseconds. */
  get lagMs(): number {
    return this.#lagMs
  }

  /** Reads in a transaction of a state in which all is visible that is required; throws NotServed otherwise. */
  async read<T>(
    work: (reads: Executor) => Promise<T>,
    required: Required,
    query: Pick<Query, 'party' | 'heavy'>,
  ): Promise<{ readonly value: T; readonly position: string }> {
    let position = ''
    const enter = async (client: PoolClient): Promise<void> => void (position = await this.#enter(client, required))
    try {
      return { value: await this.#snapshots.runBehind(enter, work, query), position }
    } catch (error) {
      if (error instanceof DatabaseUnavailable) this.#leave('away')
      throw error
    }
  }

  /** Finds out in the background whether it can be used, unless that was done a moment ago. */
  look(): void {
    if (performance.now() - this.#triedMs < triedEveryMs) return
    this.#triedMs = performance.now()
    void this.tryAgain()
  }

  /** Finds out whether it can be used. Where it is silent, what waits for it goes on elsewhere. */
  async tryAgain(): Promise<void> {
    const { positions, identity } = this.#options
    try {
      const [lagPosition, expected] = await Promise.all([positions.behind(-Infinity), identity()])
      const { row, own } = await this.#inTime(this.#ask(), () => {
        for (const client of this.#clients) socketOf(client)?.destroy()
      })
      const isOfDatabase = own === undefined || expected === undefined || own === expected
      // Asked afterwards, the primary is ahead of each of its standbys, unless it was set back behind them.
      const latest = await positions.behind(performance.now())
      this.#state = this.#stateOf(row, isOfDatabase, { lagPosition, latest })
    } catch {
      this.#leave('away')
    }
  }

  close(): Promise<void> {
    return this.#pool.end()
  }

  #stateOf(
    row: unknown,
    isOfDatabase: boolean,
    { lagPosition, latest }: { readonly lagPosition: string; readonly latest: string },
  ): ReplicaState {
    if (!isOfDatabase) return 'of another database'
    const replayed = replayedOf(row)
    if (replayed === undefined) return 'no standby'
    if (replayed > latest) return 'of another database'
    this.#lagMs = this.#options.positions.lagAt(replayed)
    return replayed >= lagPosition ? 'in use' : 'behind'
  }

  /** Asks on a connection of its own, since those of the pool may all be at work. */
  async #ask(): Promise<{ readonly row: unknown; readonly own: string | undefined }> {
    const { pool, silentMaxMs } = this.#options
    return onOwnConnection({ url: pool.url, name: 'kontor-read', stepMsMax: silentMaxMs }, async (client) => {
      const { rows } = await client.query<object>(selectState)
      return { row: rows[0], own: await identityOf((text) => client.query(text)) }
    })
  }

  async #connect(party: string): Promise<PoolClient> {
    return this.#connections.connect(party).catch((error: unknown) => {
      // Its connections are all at work: it is busy, and the others find one that is free.
      if (ofPostgres(error) instanceof DatabaseOverloaded) throw new NotServed('busy', { cause: error })
      throw this.#leave('away')
    })
  }

  /**
   * Begins on a connection: what it has replayed by now is in every later snapshot. The permitted lag is counted from
   * here, not from when the read began to wait for the connection.
   */
  async #enter(client: PoolClient, { position, isFit }: Required): Promise<string> {
    const { compiler, positions } = this.#options
    const lagPosition = handled(positions.behind(-Infinity))
    const reads = readsOfOneState({ ...compiler, send: (query) => ask((sent) => client.query(sent), query) })
    const [row, fits] = await this.#inTime(
      Promise.all([reads.send({ text: selectState, values: [], answer: 'row' }), isFit(new ReadTx(reads))]),
      () => void this.tryAgain(),
    )
    const replayed = replayedOf(row)
    if (replayed === undefined) throw this.#leave('no standby')
    this.#lagMs = positions.lagAt(replayed)
    if (replayed < (await ofPrimary(lagPosition))) throw this.#leave('behind')
    if (replayed < position || !fits) throw new NotServed('behind')
    return replayed
  }

  async #inTime<T>(work: Promise<T>, onSilence: () => void): Promise<T> {
    const silence = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      silence.reject(this.#leave('away'))
      onSilence()
    }, this.#options.silentMaxMs)
    try {
      return await Promise.race([work, silence.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Uses it no more for the time being. */
  #leave(state: 'behind' | 'away' | 'no standby'): NotServed {
    this.#state = state
    this.#triedMs = performance.now()
    return new NotServed(state)
  }
}

/** Returns a position of the primary; without it the primary serves the read, or fails itself. */
const ofPrimary = (position: Promise<string>): Promise<string> =>
  position.catch((error: unknown) => {
    throw new NotServed('the primary does not respond', { cause: error })
  })

/** The position that a standby has replayed; undefined if it is none. */
function replayedOf(row: unknown): string | undefined {
  const lsn = memberOf(row, 'replayed')
  return memberOf(row, 'is_standby') === true && isString(lsn) ? positionOf(lsn) : undefined
}

/** Names the database behind a connection; undefined where the role may not know. */
export async function identityOf(
  query: (text: string) => Promise<{ readonly rows: readonly unknown[] }>,
): Promise<string | undefined> {
  try {
    return String(memberOf((await query(selectIdentity)).rows[0], 'identity'))
  } catch (error) {
    if (memberOf(error, 'code') === insufficientPrivilege) return undefined
    throw error
  }
}

const insufficientPrivilege = '42501'
