/**
 * Numbers that look random and are the same for the same seeds (mulberry32). Every request has a generator of its own,
 * so that it can be made again without those before it.
 */
export class Random {
  #state: number

  constructor(...seeds: readonly number[]) {
    this.#state = seeds.reduce(
      (state, seed) => Math.imul(state ^ (seed + 0x9e37_79b9), 0x85eb_ca6b) ^ (state >>> 13),
      0x1234_5678,
    )
    this.next()
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b_79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number from 0 to `n - 1`. */
  below(n: number): number {
    return Math.floor(this.next() * n)
  }

  /** A whole number, both ends included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('Nothing to pick from')
    return items[this.below(items.length)] as T
  }

  /** The same items in another order (Fisher and Yates). */
  shuffled<T>(items: readonly T[]): T[] {
    const order = [...items]
    for (let last = order.length - 1; last > 0; last--) {
      const other = this.below(last + 1)
      ;[order[last], order[other]] = [order[other] as T, order[last] as T]
    }
    return order
  }

  /** One of several things to do, each as likely as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, value: T])[]): T {
    let at = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, value] of choices) if ((at -= weight) < 0) return value
    return choices[0]![1]
  }

  /** Some lower-case letters and digits. */
  word(length = 6): string {
    return Array.from({ length }, () => 'abcdefghijklmnopqrstuvwxyz0123456789'[this.below(36)]).join('')
  }
}
