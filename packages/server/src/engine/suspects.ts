/** The longest turn: work that ends its process mostly does so when it begins. */
const turnMaxMs = 2000

/**
 * Turns of jobs that begin work again with which a process was lost. All jobs of a lost process are suspects; beginning
 * them one after another, only the one that ends this process too is blamed, and not all that it had at the time.
 */
export class Suspects {
  #last = Promise.resolve()

  /** Resolves when it is the turn of the caller, with the function that ends the turn. */
  async turn(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#last
    this.#last = before.then(() => promise)
    await before
    setTimeout(resolve, turnMaxMs).unref()
    return resolve
  }
}
