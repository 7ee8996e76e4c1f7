import { setImmediate as nextTurn } from 'node:timers/promises'
import { handled } from '../kernel/handled.ts'

/**
 * Runs now and answers as a promise, a throw included. Its failure may go unseen: statements are often sent
 * together and awaited one by one, and the failure of the first would leave the others as unhandled rejections,
 * which end the process.
 */
export function promised<T>(work: () => T | Promise<T>): Promise<T> {
  return handled(new Promise<T>((resolve) => resolve(work())))
}

/** The three statements of a savepoint; `rollBack` takes back what was written since, and the savepoint with it. */
export type Savepoint = {
  readonly set: () => Promise<unknown>
  readonly release: () => Promise<unknown>
  readonly rollBack: () => Promise<unknown>
}

/**
 * What is known of one transaction: its first failure, which dooms it whether or not it was awaited or caught (on
 * SQLite too, so that both databases behave alike), and its end, since a later statement from a promise that nobody
 * awaited would land in somebody else's transaction.
 */
export class TransactionState {
  #failure: { readonly error: unknown } | undefined
  readonly #known = new WeakSet<object>()
  #ended = false
  #attempting = false

  /** Runs one statement of the transaction; refuses it after a failure, which on SQLite may have rolled everything back. */
  track<T>(work: () => T | Promise<T>): Promise<T> {
    return promised(() => {
      this.#assertOpen()
      try {
        const result = work()
        return result instanceof Promise ? result.catch((error: unknown) => this.#fail(error)) : result
      } catch (error) {
        return this.#fail(error)
      }
    })
  }

  /**
   * Runs work behind a savepoint, on a state of its own: its failures end with it, and a statement that comes after its
   * end is refused, instead of landing outside of the savepoint. Meanwhile this state takes no statements.
   */
  async attempt<T>({ set, release, rollBack }: Savepoint, work: (inner: TransactionState) => Promise<T>): Promise<T> {
    this.#assertOpen()
    const inner = new TransactionState()
    this.#attempting = true
    // Not awaited, so that it travels with the first statement of the work.
    const begun = promised(set)
    try {
      const value = await work(inner)
      inner.end()
      inner.assertSound()
      await begun
      await release().catch((error: unknown) => inner.rethrowFirst(error))
      return value
    } catch (error) {
      inner.end()
      const cause = inner.causeOf(error)
      // Where that fails too, what is left of the transaction is unknown. A refusal by the work does not say so: it would be
      // answered as the outcome.
      await rollBack().catch((failed: unknown) => {
        this.#failure ??= inner.#failure ?? { error: failed }
        this.assertSound()
      })
      throw cause
    } finally {
      this.#attempting = false
    }
  }

  end(): void {
    this.#ended = true
  }

  /** Behind a failed statement the others only say that the transaction is aborted: the first tells why. */
  causeOf(error: unknown): unknown {
    return this.#failure !== undefined && typeof error === 'object' && error !== null && this.#known.has(error)
      ? this.#failure.error
      : error
  }

  /** The same for the statement that ends the transaction: what failed came with the same packet and may be a few microtasks behind. */
  async rethrowFirst(error: unknown): Promise<never> {
    await nextTurn()
    this.assertSound()
    throw error
  }

  assertSound(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  #assertOpen(): void {
    if (this.#ended) throw new Error('The transaction has ended: a statement was not awaited')
    if (this.#attempting) throw new Error('An attempt is under way: its statements go through its own handle')
    this.assertSound()
  }

  #fail(error: unknown): never {
    this.#failure ??= { error }
    if (typeof error === 'object' && error !== null) this.#known.add(error)
    throw error
  }
}
