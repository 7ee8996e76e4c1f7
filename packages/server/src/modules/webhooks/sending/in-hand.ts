/** The deliveries of a run that are on their way, or whose answer is not stored yet. */
export class InHand {
  readonly #ends = new Map<string, Promise<void>>()

  get size(): number {
    return this.#ends.size
  }

  /** Settles when the next of them has ended. */
  nextEnd(): Promise<void> {
    return Promise.race(this.#ends.values())
  }

  /** Takes a delivery in hand until its end, which does not reject. */
  take(id: string, end: Promise<void>): void {
    this.#ends.set(
      id,
      end.finally(() => this.#ends.delete(id)),
    )
  }

  /**
   * Reads deliveries that are due, without those in hand. One that was in hand when the read began may have ended
   * before its rows are here, and they show it from before: it counts as in hand too, or it would be sent twice.
   */
  async others<Delivery extends { readonly id: string }>(read: () => Promise<Delivery[]>): Promise<Delivery[]> {
    const before = new Set(this.#ends.keys())
    return (await read()).filter(({ id }) => !before.has(id) && !this.#ends.has(id))
  }
}
