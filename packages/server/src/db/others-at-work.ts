/** Others who were at work a moment ago may be about to go on. */
const quietMs = 200

/** Remembers when others were last seen at work on a database, for work that makes room for them. */
export class OthersAtWork {
  #seenAtMs = -Infinity

  see(): void {
    this.#seenAtMs = performance.now()
  }

  get areGone(): boolean {
    return performance.now() - this.#seenAtMs > quietMs
  }
}
