import type { ReadTx } from '../../db/tx.ts'

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

/** All schemas of a workspace as of one epoch; their type is known to the schemas module. */
export type PinnedSchemaSet = { readonly epoch: number; readonly schemas: ReadonlyMap<string, object> }

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
    return new PinnedSchemas(async () => set)
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

  /** Returns whether the set was read under the schema lock, in which case no cached set matters. */
  get isHeld(): boolean {
    return this.#held
  }
}
