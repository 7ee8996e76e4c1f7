import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseOverloaded } from '../db/errors.ts'
import type { ReadTx } from '../db/tx.ts'
import type { Membership } from './actor.ts'
import { Failure } from './errors.ts'
import { randomFraction } from './ids.ts'
import { handled } from './handled.ts'
import type { PinnedSchemas, PinnedSchemaSet } from './pinned-schemas.ts'
import { StaleSchema } from './stale-schema.ts'

/** Where it stands which set of schemas a workspace has. */
export type SchemaEpochs = {
  /** The number of the set of schemas that a workspace has now. */
  readonly schemaEpoch: (tx: ReadTx, workspaceId: string) => Promise<number | undefined>
  /** That set itself; throws StaleSchema where it is over and not remembered any more. */
  readonly readSchemas: (tx: ReadTx, workspace: Membership) => Promise<PinnedSchemaSet>
  readonly forgetMemberships: () => void
}

/** Somebody who sets up a workspace makes dozens of changes within seconds, and each may come in between. */
const patienceMs = 5000
const pauseMsMax = 64

/**
 * Runs work, and runs it again where it has turned out that the schemas which it used are no longer those of the workspace.
 * Throws DatabaseOverloaded where they still change after some seconds.
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
      // On SQLite the change may be in the group of commits that is still open, where only writers see it.
      await sleep(Math.min(2 ** attempt, pauseMsMax) * (0.5 + randomFraction()))
      forgetMemberships()
      workspace = await enterAgain()
    }
  }
}

/** A read trusts the schemas that it knows, but refuses nothing on their word. */
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
 * Asks which schemas there are when a transaction begins, and looks at the answer when it is about to end: sent together
 * with BEGIN, the question costs no round trip. What happens to a transaction that the schemas change under, from there on,
 * is the business of the change (docs/decisions/0061).
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

  /** Throws where they have changed by now. */
  async assertNow(): Promise<void> {
    if ((await this.#ask()) !== this.#expected) throw new StaleSchema()
  }

  /** Runs work whose outcome, a refusal too, counts only if the schemas are those that it used. */
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
