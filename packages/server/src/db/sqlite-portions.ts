import { nextTurn } from '../lib/next-turn.ts'
import { handled } from '../lib/handled.ts'

/** Longest that a transaction keeps the event loop from other work. */
const portionMs = 10

/** Statements run one after another, each in steps between which others may have their turn. */
export type Steps<T> = Generator<void, T, void>

/**
 * The statements of one transaction, in the order in which they were sent. They run at once, as SQLite does, until the
 * transaction has kept the event loop for long; then reads and answers have their turn, and the rest follows in further
 * portions.
 */
export class SqlitePortions {
  readonly #now: () => number
  #since: number
  #last: Promise<unknown> | undefined
  #isCancelled = false

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#since = now()
  }

  run<T>(begin: () => Steps<T>): T | Promise<T> {
    if (this.#last !== undefined || this.#isOver) return this.#follow(this.#behind(this.#last, begin))
    const steps = begin()
    const result = this.#advance(steps)
    return result.done === true ? result.value : this.#follow(this.#rest().then(() => this.#finish(steps)))
  }

  /** Resolves when nothing is left to run. */
  async end(): Promise<void> {
    while (this.#last !== undefined) await this.#last.catch(() => undefined)
  }

  /** Lets what is left fail: the transaction is rolled back. */
  cancel(): void {
    this.#isCancelled = true
  }

  get #isOver(): boolean {
    return this.#now() - this.#since > portionMs
  }

  #follow<T>(result: Promise<T>): Promise<T> {
    const last: Promise<T> = handled(
      result.finally(() => {
        if (this.#last === last) this.#last = undefined
      }),
    )
    this.#last = last
    return last
  }

  async #behind<T>(before: Promise<unknown> | undefined, begin: () => Steps<T>): Promise<T> {
    await before?.catch(() => undefined)
    if (this.#isOver) await this.#rest()
    return this.#finish(begin())
  }

  async #finish<T>(steps: Steps<T>): Promise<T> {
    for (let result = this.#advance(steps); ; result = this.#advance(steps)) {
      if (result.done === true) return result.value
      await this.#rest()
    }
  }

  /** Runs steps until all are done, or others have to have their turn. */
  #advance<T>(steps: Steps<T>): IteratorResult<void, T> {
    if (this.#isCancelled) throw new Error('The transaction has ended before this statement')
    for (let result = steps.next(); ; result = steps.next()) if (result.done === true || this.#isOver) return result
  }

  async #rest(): Promise<void> {
    await nextTurn()
    this.#since = this.#now()
  }
}
