import { setTimeout as sleep } from 'node:timers/promises'
import { listSettling, mayBeDistributed } from '../db/distribution/settling.ts'
import type { Database } from '../db/tx.ts'

/** A database that is not distributed may be while processes run: it is asked again after so long. */
const askAgainMs = 60_000

const lookAgainMs = 5

/** A node that hangs must not keep the jobs of all others; those of its workspaces wait for the database anyway. */
const patienceMs = 3000

/**
 * Knows when a claimed job may read what was committed with it. In a distributed database a change commits on the
 * coordinator, where jobs are, and a moment later on the node of its workspace: a job that was claimed in between would
 * not find the rows that it is for, and would end as if they had been deleted (docs/decisions/0340).
 */
export class Settlement {
  readonly #database: Database
  #askedMs = -Infinity
  #asked = Promise.resolve(false)
  #next: Promise<void> | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** Resolves when each change that has committed on the coordinator has committed on its node, or patience ends. */
  settled(): Promise<void> {
    // Jobs that were claimed together wait together.
    this.#next ??= Promise.resolve().then(() => {
      this.#next = undefined
      return this.#settle()
    })
    return this.#next
  }

  async #settle(): Promise<void> {
    if (!(await this.#isDistributed())) return
    const endsMs = performance.now() + patienceMs
    let left = await this.#listSettling()
    while (left.length > 0 && performance.now() < endsMs) {
      await sleep(lookAgainMs)
      const now = await this.#listSettling()
      left = left.filter((id) => now.includes(id))
    }
  }

  /** A distributed database stays distributed. */
  #isDistributed(): Promise<boolean> {
    if (this.#database.dialect.name !== 'postgres') return Promise.resolve(false)
    if (performance.now() - this.#askedMs < askAgainMs) return this.#asked
    this.#askedMs = performance.now()
    this.#asked = this.#ask()
    return this.#asked
  }

  async #ask(): Promise<boolean> {
    try {
      const isDistributed = await mayBeDistributed(this.#database.reader)
      if (isDistributed) this.#askedMs = Infinity
      return isDistributed
    } catch (error) {
      this.#askedMs = -Infinity
      throw error
    }
  }

  #listSettling(): Promise<string[]> {
    return this.#database.write(listSettling)
  }
}
