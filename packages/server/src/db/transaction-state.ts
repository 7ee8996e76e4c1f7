import { setImmediate as nextTurn } from 'node:timers/promises'
import { promised } from '../lib/promises.ts'

/**
 * The three statements of a savepoint. `release` fails if a statement of its attempt has failed, also one that nobody
 * awaited and that ran just before it; `rollBack` undoes what was written since, and removes the savepoint. `forget`
 * drops what the transaction has read ahead, since it may have read what was undone.
 */
export type Savepoint = {
  readonly set: () => Promise<unknown>
  readonly release: (attempt: TransactionState) => Promise<unknown>
  readonly rollBack: () => Promise<unknown>
  readonly forget: () => void
}

/**
 * The state of one transaction. Its first failure dooms it, whether or not the failure was awaited or caught (on SQLite
 * too, so that both databases behave alike). Its end is recorded as well, since a later statement from a promise that
 * was not awaited would land in another transaction.
 */
export class TransactionState {
  #failure: { readonly error: unknown } | undefined
  readonly #known = new WeakSet<object>()
  #ended = false
  #attempting = false

  /**
   * Runs one statement of the transaction; refuses it after a failure, which on SQLite may have rolled everything back.
   */
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
   * Runs work inside a savepoint with a state of its own: its failures end with it, and a statement that arrives after
   * its end is refused instead of landing outside the savepoint. Meanwhile this state accepts no statements.
   */
  async attempt<T>(
    { set, release, rollBack, forget }: Savepoint,
    work: (inner: TransactionState) => Promise<T>,
  ): Promise<T> {
    this.#assertOpen()
    const inner = new TransactionState()
    this.#attempting = true
    // Not awaited, so that it is sent with the first statement of the work.
    const begun = promised(set)
    try {
      const value = await work(inner)
      inner.end()
      inner.assertSound()
      await begun
      await release(inner).catch((error: unknown) => inner.rethrowFirst(error))
      return value
    } catch (error) {
      inner.end()
      const cause = inner.causeOf(error)
      // If that fails too, the state of the transaction is unknown. The work's own refusal would not say so: it would
      // be returned as the outcome.
      await rollBack().catch((failed: unknown) => {
        this.#failure ??= inner.#failure ?? { error: failed }
        this.assertSound()
      })
      // Not before: statements of the work may have been under way.
      forget()
      throw cause
    } finally {
      this.#attempting = false
    }
  }

  end(): void {
    this.#ended = true
  }

  /** After a failed statement the others only report that the transaction is aborted; the first one has the cause. */
  causeOf(error: unknown): unknown {
    return this.#failure !== undefined && typeof error === 'object' && error !== null && this.#known.has(error)
      ? this.#failure.error
      : error
  }

  /**
   * Rethrows the first failure in place of the error of the statement that ends the transaction: the failure came in
   * the same packet and may be a few microtasks behind. Failures that do not count leave that error as it is.
   */
  async rethrowFirst(error: unknown, counts: (failure: unknown) => boolean = () => true): Promise<never> {
    await nextTurn()
    throw this.#failure !== undefined && counts(this.#failure.error) ? this.#failure.error : error
  }

  get hasEnded(): boolean {
    return this.#ended
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
