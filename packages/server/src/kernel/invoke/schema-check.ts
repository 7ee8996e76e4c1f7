import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { DatabaseOverloaded } from '../../db/errors.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { handled } from '../../lib/promises.ts'
import type { Membership } from '../actor.ts'
import { Failure } from '../errors.ts'
import { randomFraction } from '../ids.ts'

/**
 * The schemas that a request worked with are outdated: nothing was written, and the request runs again with the current
 * ones.
 */
export class StaleSchema extends Error {
  override readonly name = 'StaleSchema'
  constructor() {
    super('The schemas of the workspace have changed meanwhile')
  }
}

/** All schemas and the settings of a workspace as of one epoch; their types are known to the schemas module. */
type PinnedSchemaSet = {
  readonly epoch: number
  readonly settings: object
  readonly schemas: ReadonlyMap<string, object>
}

/**
 * The schemas that one operation works with: those of its first read, until it ends. Values compiled from them are
 * compared by identity in many places, and two reads of the same epoch give two sets (docs/decisions/0061).
 */
export class PinnedSchemas {
  readonly #read: (tx: ReadTx) => Promise<PinnedSchemaSet>
  #set: PinnedSchemaSet | undefined
  #held = false

  constructor(read: (tx: ReadTx) => Promise<PinnedSchemaSet>) {
    this.#read = read
  }

  /** For work that has read its schemas already and uses no others. */
  static of(set: PinnedSchemaSet): PinnedSchemas {
    const pinned = new PinnedSchemas(async () => set)
    pinned.hold(set)
    return pinned
  }

  /** The set; the operation's first call reads it through the transaction. */
  async get(tx: ReadTx): Promise<PinnedSchemaSet> {
    if (this.#set !== undefined) return this.#set
    const read = await this.#read(tx)
    // Concurrent parts of an operation all get the set that was read first.
    return (this.#set ??= read)
  }

  /** Pins a set that was read under the schema lock; throws if the operation has already used an older one. */
  hold(locked: PinnedSchemaSet): void {
    if (this.#set !== undefined && this.#set.epoch !== locked.epoch) throw new StaleSchema()
    this.#set ??= locked
    this.#held = true
  }

  /** Returns whether the operation has read the set itself: nothing that is cached by its epoch matters then. */
  get isHeld(): boolean {
    return this.#held
  }
}

/** Reads which set of schemas a workspace has. */
export type SchemaEpochs = {
  /** The number of the workspace's current set of schemas. */
  readonly schemaEpoch: (tx: ReadTx, workspaceId: string) => Promise<number | undefined>
  /** The set of that number; throws StaleSchema if it has been replaced and is no longer cached. */
  readonly readSchemas: (tx: ReadTx, workspace: Membership) => Promise<PinnedSchemaSet>
  readonly forgetMemberships: () => void
  /** Tells, whenever it is asked, whether this process has heard of a change of memberships or schemas since. */
  readonly watchMemberships: () => () => boolean
}

/** The schemas of one attempt; a retry reads them again. */
export const pinSchemas = ({ readSchemas }: Pick<SchemaEpochs, 'readSchemas'>, workspace: Membership): PinnedSchemas =>
  new PinnedSchemas((tx) => readSchemas(tx, workspace))

/**
 * Lets a read use cached schemas, but confirms that they are current before it refuses anything because of them, or
 * where `mayBeTorn` says that they may have changed while it read: what it has read may have been written by newer
 * ones.
 */
export async function trustingSchemas<T>(
  { schemaEpoch }: Pick<SchemaEpochs, 'schemaEpoch'>,
  tx: ReadTx,
  { workspaceId, schemaEpoch: expected }: Membership,
  mayBeTorn: (done: T) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  const isStale = async (): Promise<boolean> => (await schemaEpoch(tx, workspaceId)) !== expected
  let done: T
  try {
    done = await work()
  } catch (error) {
    throw error instanceof Failure && (await isStale()) ? new StaleSchema() : error
  }
  if (mayBeTorn(done) && (await isStale())) throw new StaleSchema()
  return done
}

/**
 * Asks for the schema epoch behind all that a transaction reads and locks, and looks at the last answer shortly before
 * the transaction ends: the question costs no round trip. A call that has waited for another, or has read what it
 * wrote, thus comes after the schemas of that one too (docs/decisions/0061).
 */
export class SchemaCheck {
  readonly #ask: () => Promise<number | undefined>
  readonly #expected: number
  readonly #pinned: PinnedSchemas
  #asked: Promise<number | undefined> | undefined

  constructor(
    { schemaEpoch }: SchemaEpochs,
    tx: Tx,
    { workspaceId, schemaEpoch: expected }: Membership,
    pinned: PinnedSchemas,
  ) {
    this.#ask = () => schemaEpoch(tx, workspaceId)
    this.#expected = expected
    this.#pinned = pinned
    tx.askBehind((reader) => {
      this.#asked = handled(schemaEpoch(reader, workspaceId))
    })
  }

  /** Runs work whose outcome, including a refusal, counts only if the schemas that it used are still current. */
  async around<T>(work: () => Promise<T>): Promise<T> {
    try {
      const done = await work()
      if (await this.#isStale()) throw new StaleSchema()
      return done
    } catch (error) {
      throw error instanceof Failure && (await this.#isStale()) ? new StaleSchema() : error
    }
  }

  async #isStale(): Promise<boolean> {
    // Work that waits for nothing ends before the question is sent, behind the beginning of the transaction.
    if (this.#asked === undefined) await nextTurn()
    return !this.#pinned.isHeld && (await (this.#asked ?? this.#ask())) !== this.#expected
  }
}

/** Setting up a workspace makes dozens of schema changes within seconds, and each may come in between. */
const patienceMs = 5000
const pauseMsMax = 64

/**
 * Runs work, and retries it if the schemas that it used turn out to be outdated. Throws DatabaseOverloaded if they
 * still change after some seconds.
 */
export async function withFreshSchemas<T>(
  { forgetMemberships }: Pick<SchemaEpochs, 'forgetMemberships'>,
  first: Membership,
  enterAgain: () => Promise<Membership>,
  work: (workspace: Membership) => Promise<T>,
): Promise<T> {
  let workspace = first
  let until: number | undefined
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(workspace)
    } catch (error) {
      if (!(error instanceof StaleSchema)) throw error
      // From the first time on: until then it may have waited for others for as long.
      until ??= performance.now() + patienceMs
      if (performance.now() > until)
        throw new DatabaseOverloaded('The schemas of the workspace change all the time', { cause: error })
      // On SQLite the change may be in the group of commits that is still open, which only writers see.
      await sleep(Math.min(2 ** attempt, pauseMsMax) * (0.5 + randomFraction()))
      forgetMemberships()
      workspace = await enterAgain()
    }
  }
}
