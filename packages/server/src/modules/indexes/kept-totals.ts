import { LRUCache } from 'lru-cache'
import type { ReadTx } from '../../db/tx.ts'
import { findChangeMark } from '../events/index.ts'
import type { ObjectModel } from '../objects/index.ts'

type Kept = { readonly total: number; readonly mark: number }

/** The lists of an object that one walks at a time are few. */
const totalsMax = 1000

/**
 * Totals that were counted, each with the change mark of its workspace from before it was counted. A total holds as
 * long as the mark is the same, whichever node has counted and whichever has written since (docs/decisions/0014).
 */
export class KeptTotals {
  /** By object as one version of its schema has it, and by list. */
  readonly #kept = new WeakMap<ObjectModel, LRUCache<string, Kept>>()

  has(object: ObjectModel, list: string): boolean {
    return this.#kept.get(object)?.has(list) === true
  }

  /** The total of a list in a workspace: the kept one, if nothing has happened since, or else counted now. */
  async total(
    tx: ReadTx,
    {
      workspaceId,
      object,
      list,
    }: { readonly workspaceId: string; readonly object: ObjectModel; readonly list: string },
    count: () => Promise<number> | number,
  ): Promise<number> {
    const mark = await findChangeMark(tx, workspaceId)
    const kept = this.#of(object)
    const known = kept.get(list)
    if (known !== undefined && known.mark === mark) return known.total
    const total = await count()
    if (mark !== undefined) kept.set(list, { total, mark })
    return total
  }

  #of(object: ObjectModel): LRUCache<string, Kept> {
    const kept = this.#kept.get(object) ?? new LRUCache<string, Kept>({ max: totalsMax })
    this.#kept.set(object, kept)
    return kept
  }
}
