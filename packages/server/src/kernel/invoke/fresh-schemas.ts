import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseOverloaded } from '../../db/errors.ts'
import type { ReadTx } from '../../db/tx.ts'
import type { Membership } from '../actor.ts'
import { Failure } from '../errors.ts'
import { randomFraction } from '../ids.ts'
import { handled } from '../../lib/handled.ts'
import type { PinnedSchemas, PinnedSchemaSet } from './pinned-schemas.ts'
import { StaleSchema } from './stale-schema.ts'

/** Reads which set of schemas a workspace has. */
export type SchemaEpochs = {
  /** The number of the workspace's current set of schemas. */
  readonly schemaEpoch: (tx: ReadTx, workspaceId: string) => Promise<number | undefined>
  /** The set of that number; throws StaleSchema if it has been replaced and is no longer cached. */
  readonly readSchemas: (tx: ReadTx, workspace: Membership) => Promise<PinnedSchemaSet>
  readonly forgetMemberships: () => void
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
  const until = performance.now() + patienceMs
  let workspace = first
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(workspace)
    } catch (error) {
      if (!(error instanceof StaleSchema)) throw error
      if (performance.now() > until)
        throw new DatabaseOverloaded('The schemas of the workspace change all the time', { cause: error })
      // On SQLite the change may be in the group of commits that is still open, which only writers see.
      await sleep(Math.min(2 ** attempt, pauseMsMax) * (0.5 + randomFraction()))
      forgetMemberships()
      workspace = await enterAgain()
    }
  }
}

/** Lets a read use cached schemas, but confirms that they are current before it refuses anything because of them. */
export async function trustingSchemas<T>(
  { schemaEpoch }: SchemaEpochs,
  tx: ReadTx,
  { workspaceId, schemaEpoch: expected }: Membership,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Failure && (await schemaEpoch(tx, workspaceId)) !== expected) throw new StaleSchema()
    throw error
  }
}

/**
 * Queries the schema epoch when a transaction begins and checks the answer shortly before it ends: sent together with
 * BEGIN, the query costs no round trip. A schema change that happens during the transaction, after that query, handles
 * the conflict itself (docs/decisions/0061).
 */
export class SchemaCheck {
  readonly #ask: () => Promise<number | undefined>
  readonly #expected: number
  readonly #atBegin: Promise<number | undefined>
  readonly #pinned: PinnedSchemas

  constructor(
    { schemaEpoch }: SchemaEpochs,
    tx: ReadTx,
    { workspaceId, schemaEpoch: expected }: Membership,
    pinned: PinnedSchemas,
  ) {
    this.#ask = () => schemaEpoch(tx, workspaceId)
    this.#expected = expected
    this.#pinned = pinned
    this.#atBegin = handled(this.#ask())
  }

  /** Throws if the schemas have changed by now. */
  async assertNow(): Promise<void> {
    if ((await this.#ask()) !== this.#expected) throw new StaleSchema()
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
    return !this.#pinned.isHeld && (await this.#atBegin) !== this.#expected
  }
}
