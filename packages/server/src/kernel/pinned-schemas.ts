import type { ReadTx } from '../db/tx.ts'
import { StaleSchema } from './stale-schema.ts'

/** All schemas of a workspace as of one epoch; what a schema is, the module of schemas knows. */
export type PinnedSchemaSet = { readonly epoch: number; readonly schemas: ReadonlyMap<string, object> }

/**
 * The schemas that one operation works with: those of its first look, until it ends. What is compiled of them is compared
 * by identity in many places, and two readings of the same epoch are two sets (docs/decisions/0061).
 */
export class PinnedSchemas {
  readonly #read: (tx: ReadTx) => Promise<PinnedSchemaSet>
  #set: PinnedSchemaSet | undefined
  #held = false

  constructor(read: (tx: ReadTx) => Promise<PinnedSchemaSet>) {
    this.#read = read
  }

  /** For work that has read its schemas already and goes on to use no others. */
  static of(set: PinnedSchemaSet): PinnedSchemas {
    return new PinnedSchemas(async () => set)
  }

  /** The set, read through the transaction of the operation where this is its first look. */
  async get(tx: ReadTx): Promise<PinnedSchemaSet> {
    if (this.#set !== undefined) return this.#set
    const read = await this.#read(tx)
    // Parts of an operation that look side by side get the set of the part that was answered first.
    return (this.#set ??= read)
  }

  /** Makes a set that was read under the lock of the schemas the operation's own; throws where the operation has used an older one by now. */
  hold(locked: PinnedSchemaSet): void {
    if (this.#set !== undefined && this.#set.epoch !== locked.epoch) throw new StaleSchema()
    this.#set ??= locked
    this.#held = true
  }

  /** Whether they were read under their lock: what was known of them before does not matter then. */
  get isHeld(): boolean {
    return this.#held
  }
}
