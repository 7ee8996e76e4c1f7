import { defined } from './guards.ts'

/** A queue whose parties take turns: one that has much waiting never makes another wait for all of it. */
export class RoundRobin<T> {
  /** Parties with anything waiting; the one whose turn is next comes first. */
  readonly #parties = new Map<string, T[]>()
  #length = 0

  get length(): number {
    return this.#length
  }

  push(party: string, one: T): void {
    const waiting = this.#parties.get(party)
    if (waiting === undefined) this.#parties.set(party, [one])
    else waiting.push(one)
    this.#length++
  }

  /** Removes the first of the party whose turn it is. */
  shift(): T | undefined {
    const [next] = this.#parties
    if (next === undefined) return undefined
    const [party, waiting] = next
    const one = defined(waiting.shift())
    this.#length--
    this.#parties.delete(party)
    if (waiting.length > 0) this.#parties.set(party, waiting)
    return one
  }
}
