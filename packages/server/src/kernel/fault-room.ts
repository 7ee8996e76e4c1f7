import { faultsMax } from './errors.ts'

/** Faults of a body, beyond which only the first of each further item is told. */
const inAllMax = 1000

/**
 * The room that an answer has for faults: a hundred of each item, and in all a thousand and the first of each other
 * item. A body with a million of them costs no more than that to refuse.
 */
export class FaultRoom {
  readonly #byItem = new Map<unknown, number>()
  #inAll = 0

  /** Returns whether there is little left, so that a text that takes long to make is made shorter. */
  get isScarce(): boolean {
    return this.#inAll >= inAllMax
  }

  /** Takes the room of one more fault of an item; false where there is none. */
  take(item?: number): boolean {
    const own = this.#byItem.get(item) ?? 0
    if (own >= (this.isScarce ? 1 : faultsMax)) return false
    this.#byItem.set(item, own + 1)
    this.#inAll++
    return true
  }
}
