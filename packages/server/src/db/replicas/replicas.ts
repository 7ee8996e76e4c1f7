import { LRUCache } from 'lru-cache'
import { handled, promised } from '../../lib/promises.ts'
import type { Executor, Query } from '../executor.ts'
import {
  type Figure,
  ReadTx,
  type OperationReads,
  type ReadReplicas,
  type ReplicaRequest,
  type ReplicaStanding,
} from '../tx.ts'
import { firstPosition, laterPosition } from './position.ts'
import type { PrimaryPositions } from './primary-positions.ts'
import { isFaultOfReplica, type Replica } from './replica.ts'

type Options = {
  readonly replicas: readonly Replica[]
  readonly positions: PrimaryPositions
  /** The reads of the primary. */
  readonly primary: Executor
  /** Greatest age of what a replica may show. */
  readonly lagMs: number
}

/** The state that a credential has seen, as a position or as of a time. */
type Seen = { readonly position: string; readonly sinceMs: number }

const credentialsMax = 100_000

/** Serves reads from replicas: of each credential from the same one, as long as that can be used. */
export class Replicas implements ReadReplicas {
  readonly #options: Options
  /** Needed no longer than for the permitted lag: what is older is seen by all. */
  readonly #seen: LRUCache<string, Seen>
  #served = 0
  #passedOn = 0

  constructor(options: Options) {
    this.#options = options
    this.#seen = new LRUCache({ max: credentialsMax, ttl: options.lagMs })
  }

  reads(request: ReplicaRequest): OperationReads {
    const { primary } = this.#options
    let isAtPrimary = false
    const read = async <T>(
      work: (reads: Executor) => Promise<T>,
      query: Pick<Query, 'party' | 'heavy'>,
      atPrimary: () => Promise<T>,
    ): Promise<T> => {
      const served = isAtPrimary ? undefined : await this.#atReplica(request, work, query)
      if (served !== undefined) return served.value
      isAtPrimary = true
      return atPrimary().finally(() => this.note(request.credential, undefined))
    }
    const executor: Executor = {
      ...primary,
      isReplica: true,
      send: (query) =>
        promised(() =>
          read(
            (reads) => reads.send(query),
            query,
            () => primary.send(query),
          ),
        ),
      inOneState: (work, state = {}) => read(work, state, () => primary.inOneState(work, state)),
    }
    return { tx: new ReadTx(executor), leave: () => void (isAtPrimary = true) }
  }

  note(credential: string, position: string | undefined): void {
    const seen = this.#seenBy(credential)
    const sinceMs = position === undefined ? performance.now() : seen.sinceMs
    this.#seen.set(credential, { position: laterPosition(position ?? firstPosition, seen.position), sinceMs })
    // Asked now, it is soon passed by the replicas; asked by the next read, it would be ahead of them again.
    if (position === undefined) void handled(this.#options.positions.behind(sinceMs))
  }

  /** Finds out which replicas can be used. */
  async look(): Promise<void> {
    await Promise.all(this.#options.replicas.map((replica) => replica.tryAgain()))
  }

  get states(): readonly ReplicaStanding[] {
    return this.#options.replicas
  }

  get figures(): Figure[] {
    const { replicas } = this.#options
    const inUse = (): readonly Replica[] => replicas.filter(({ state }) => state === 'in use')
    return [
      { name: 'replicas', help: 'Replicas of DATABASE_READ_URL.', kind: 'gauge', read: () => replicas.length },
      { name: 'replicas_in_use', help: 'Replicas that serve reads.', kind: 'gauge', read: () => inUse().length },
      {
        name: 'replica_lag_seconds',
        help: 'Lag of the replica in use that is furthest behind, when it was last used.',
        kind: 'gauge',
        read: () => Math.max(0, ...inUse().map(({ lagMs }) => lagMs)) / 1000,
      },
      {
        name: 'replica_reads_total',
        help: 'Reads that replicas have served.',
        kind: 'counter',
        read: () => this.#served,
      },
      {
        name: 'replica_misses_total',
        help: 'Reads that the primary has served instead, since no replica was up to date.',
        kind: 'counter',
        read: () => this.#passedOn,
      },
    ]
  }

  async close(): Promise<void> {
    await Promise.all(this.#options.replicas.map((replica) => replica.close()))
  }

  #seenBy(credential: string): Seen {
    return this.#seen.get(credential) ?? { position: firstPosition, sinceMs: -Infinity }
  }

  /** Reads at a replica; undefined if none can serve it. */
  async #atReplica<T>(
    { credential, position = firstPosition, isFit }: ReplicaRequest,
    work: (reads: Executor) => Promise<T>,
    query: Pick<Query, 'party' | 'heavy'>,
  ): Promise<{ readonly value: T } | undefined> {
    const replica = this.#choose(credential)
    try {
      if (replica !== undefined) {
        const seen = this.#seenBy(credential)
        const lagPosition = await this.#options.positions.behind(-Infinity)
        const since = await this.#options.positions.behind(seen.sinceMs)
        const required = {
          lagPosition,
          position: [position, seen.position, since].reduce(laterPosition),
          isFit,
        }
        const served = await replica.read(work, required, query)
        this.note(credential, served.position)
        this.#served++
        return served
      }
    } catch (error) {
      if (!isFaultOfReplica(error)) throw error
    }
    this.#passedOn++
    return undefined
  }

  /** Chooses the replica of a credential, or the next that is in use. */
  #choose(credential: string): Replica | undefined {
    const { replicas } = this.#options
    for (const replica of replicas) if (replica.state !== 'in use') replica.look()
    const first = numberOf(credential) % replicas.length
    return [...replicas.slice(first), ...replicas.slice(0, first)].find(({ state }) => state === 'in use')
  }
}

/** A number that is the same for a text on every node. */
function numberOf(text: string): number {
  let number = 0
  for (let at = 0; at < text.length; at++) number = (number * 31 + text.charCodeAt(at)) >>> 0
  return number
}
