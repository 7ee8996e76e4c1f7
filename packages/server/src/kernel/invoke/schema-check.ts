import type { ReadTx, Tx } from '../../db/tx.ts'
import { handled } from '../../lib/handled.ts'
import type { Membership } from '../actor.ts'
import { Failure } from '../errors.ts'
import { PinnedSchemas, type PinnedSchemaSet } from './pinned-schemas.ts'
import { StaleSchema } from './stale-schema.ts'

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

  /** Work that has sent nothing yet has to ask. */
  async #isStale(): Promise<boolean> {
    return !this.#pinned.isHeld && (await (this.#asked ?? this.#ask())) !== this.#expected
  }
}
