import type { PoolClient } from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FairTurns } from '../lib/fair-turns.ts'
import { memberOf, invariant } from '../lib/guards.ts'
import { DatabaseOverloaded } from './errors.ts'
import { readsOfOneState, type Executor, type Query, type StateRequest } from './executor.ts'
import { theServer } from './heavy-reads.ts'
import { hasMetOthers, isLost, ofPostgres } from './postgres-errors.ts'
import { ask } from './postgres-executor.ts'
import { gather } from './postgres-shared.ts'
import { promised } from '../lib/promises.ts'
import { TransactionState } from './transaction-state.ts'

/** Costs of the reads of a state: light statements, heavy ones, and scans. */
const weights = ['light', 'heavy', 'scan'] as const

type Weight = (typeof weights)[number]

const weightOf = ({ heavy }: Pick<Query, 'heavy'>): Weight =>
  heavy === 'scan' ? 'scan' : heavy === true ? 'heavy' : 'light'

const isHeavier = (one: Weight, other: Weight): boolean => weights.indexOf(one) > weights.indexOf(other)

/** Rejects a statement that is heavier than its transaction may send: the work runs again, with a turn for it. */
class NeedsTurn extends Error {
  override readonly name = 'NeedsTurn'
}

type Work<T> = (reads: Executor) => Promise<T>

/** Result of reads in a transaction, which begins again if they need a turn. */
type Tried<T> = { readonly value: T } | { readonly needed: Weight }

type Reads = Omit<Executor, 'inOneState'>

/** Checks a connection before its transaction begins; where it throws, there is no other attempt. */
type Enter = (client: PoolClient) => Promise<void>

type SnapshotOptions = {
  readonly connections: { readonly connect: (party: string) => Promise<PoolClient> }
  readonly compiler: Omit<Reads, 'send'>
  /** Runs work in its turn of a kind. */
  readonly turns: Readonly<Record<'heavy' | 'scan', Pick<FairTurns, 'run'>>>
}

/** Attempts at reads whose connection broke, or that a standby has cancelled. */
const triesMax = 3
const triesPauseMs = 20

/** After heavy reads that others' commits have come between, so many go straight into a transaction. */
const triedAgainAfter = 20

/**
 * Reads that all see one state (docs/decisions/0314), in a transaction. A connection that waits for a turn would keep
 * it from those that have theirs, so the turn comes first: what begins without one and meets a heavy statement begins
 * again. Heavy reads go their usual ways then, side by side and shared with those that are alike: if nothing was
 * committed meanwhile, that was one state. Where others keep writing, they take one turn for a transaction.
 */
export class PostgresSnapshots {
  readonly #options: SnapshotOptions
  /** Heavy reads that are not to be tried outside a transaction. */
  #untried = 0

  constructor(options: SnapshotOptions) {
    this.#options = options
  }

  /** `reads` are those outside a transaction. */
  async run<T>(work: Work<T>, reads: Reads, { party = theServer, isLong }: StateRequest = {}): Promise<T> {
    const light = await this.#inTransaction(work, party, 'light')
    if ('value' in light) return light.value
    invariant(isLong !== true, 'long work sends light statements only')
    const undisturbed = this.#untried > 0 ? this.#skipped() : await this.#unlessDisturbed(work, reads)
    return undisturbed === undefined ? this.#inTurns(work, party, light.needed) : undisturbed.value
  }

  /** Runs work on a connection that was checked first, in a transaction; `heavy` is known of a single statement. */
  runBehind<T>(enter: Enter, work: Work<T>, query: Pick<Query, 'heavy' | 'party'>): Promise<T> {
    return this.#inTurns(work, query.party ?? theServer, weightOf(query), enter)
  }

  async #inTurns<T>(work: Work<T>, party: string, weight: Weight, enter?: Enter): Promise<T> {
    let needed = weight
    for (;;) {
      const tried = await this.#inTransaction(work, party, needed, enter)
      if ('value' in tried) return tried.value
      needed = tried.needed
    }
  }

  #skipped(): undefined {
    this.#untried--
  }

  /** Runs work outside a transaction; undefined if anything was committed meanwhile. */
  async #unlessDisturbed<T>(work: Work<T>, reads: Reads): Promise<{ readonly value: T } | undefined> {
    const before = await visibleBy(reads)
    const value = await work(readsOfOneState(reads))
    if ((await visibleBy(reads)) === before) return { value }
    this.#untried = triedAgainAfter
    return undefined
  }

  async #inTransaction<T>(work: Work<T>, party: string, weight: Weight, enter?: Enter): Promise<Tried<T>> {
    for (let attempt = 1; ; attempt++) {
      const reads = new SnapshotReads(this.#options, weight, enter)
      try {
        return { value: await this.#inTurn(weight, party, () => reads.run(work, party)) }
      } catch (error) {
        if (isHeavier(reads.needed, weight)) return { needed: reads.needed }
        if (enter !== undefined || !(isLost(error) || hasMetOthers(error))) throw error
        if (attempt === triesMax)
          throw hasMetOthers(error)
            ? new DatabaseOverloaded('The read stood in the way of others', { cause: error })
            : error
        await sleep(triesPauseMs * attempt)
      }
    }
  }

  #inTurn<T>(weight: Weight, party: string, work: () => Promise<T>): Promise<T> {
    return weight === 'light' ? work() : this.#options.turns[weight].run(party, work)
  }
}

/** Names the transactions that are visible: it changes with every commit. */
async function visibleBy(reads: Reads): Promise<string> {
  const text = 'select pg_current_snapshot()::text as visible'
  return String(memberOf(await reads.send({ text, values: [], answer: 'row' }), 'visible'))
}

/** One transaction for reading. */
class SnapshotReads {
  /** The heaviest statement that it was to send. */
  needed: Weight
  readonly #options: SnapshotOptions
  readonly #weight: Weight
  readonly #enter: Enter | undefined
  readonly #state = new TransactionState()

  constructor(options: SnapshotOptions, weight: Weight, enter: Enter | undefined) {
    this.#options = options
    this.#weight = weight
    this.#enter = enter
    this.needed = weight
  }

  async run<T>(work: Work<T>, party: string): Promise<T> {
    const client = await this.#options.connections.connect(party).catch((error: unknown) => {
      throw ofPostgres(error)
    })
    try {
      gather(client)
      const entered = this.#enter?.(client)
      // Not awaited: it is sent with what was sent before, and the first statement gets the snapshot.
      const begun = promised(() => client.query('begin isolation level repeatable read, read only'))
      await entered
      const value = await work(
        readsOfOneState({ ...this.#options.compiler, send: (query) => this.#send(client, query) }),
      )
      this.#state.end()
      this.#state.assertSound()
      await begun
      return value
    } catch (error) {
      this.#state.end()
      throw this.#state.causeOf(error)
    } finally {
      void release(client)
    }
  }

  #send(client: PoolClient, query: Query): Promise<unknown> {
    return this.#state.track(() => {
      const weight = weightOf(query)
      if (isHeavier(weight, this.#weight)) {
        if (isHeavier(weight, this.needed)) this.needed = weight
        throw new NeedsTurn(`A ${weight} statement`)
      }
      gather(client)
      return ask((sent) => client.query(sent), query)
    })
  }
}

/** Ends the transaction of a client and returns it to the pool; nobody waits for that. */
async function release(client: PoolClient): Promise<void> {
  try {
    gather(client)
    await client.query('commit')
    client.release()
  } catch (error) {
    client.release(error instanceof Error ? error : true)
  }
}
