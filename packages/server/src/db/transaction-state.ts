const ignore = (): void => undefined

/**
 * Runs now and answers as a promise, a throw included. Its failure may go unseen: statements are often sent
 * together and awaited one by one, and the failure of the first would leave the others as unhandled rejections,
 * which end the process.
 */
export function promised<T>(work: () => T | Promise<T>): Promise<T> {
  const promise = new Promise<T>((resolve) => resolve(work()))
  promise.catch(ignore)
  return promise
}

/**
 * What is known of one transaction: its first failure, which dooms it whether or not it was awaited or caught (on
 * SQLite too, so that both databases behave alike), and its end, since a later statement from a promise that nobody
 * awaited would land in somebody else's transaction.
 */
export class TransactionState {
  #failure: { readonly error: unknown } | undefined
  #ended = false

  /** Runs one statement of the transaction; refuses it after a failure, which on SQLite may have rolled everything back. */
  track<T>(work: () => T | Promise<T>): Promise<T> {
    return promised(() => {
      if (this.#ended) throw new Error('The transaction has ended: a statement was not awaited')
      this.assertSound()
      try {
        const result = work()
        return result instanceof Promise ? result.catch((error: unknown) => this.#fail(error)) : result
      } catch (error) {
        return this.#fail(error)
      }
    })
  }

  end(): void {
    this.#ended = true
  }

  assertSound(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  #fail(error: unknown): never {
    this.#failure ??= { error }
    throw error
  }
}
