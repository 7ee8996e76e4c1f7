import { setImmediate as nextTurn } from 'node:timers/promises'
import { settle, type Fence, type Next } from './outcomes/store.ts'
import { LeaseLost, type Deps } from './types.ts'

export type Completion = {
  readonly fence: Fence
  readonly isKeyed: boolean
  readonly next: Next
  readonly payload: unknown
}

type Waiting = Completion & { readonly resolve: () => void; readonly reject: (error: unknown) => void }

/** The most completions in one transaction. */
const togetherMax = 100

/**
 * Stores the outcomes of jobs, in one transaction for jobs that end at about the same time. Short jobs would otherwise
 * spend their time waiting for the disk (400 a second one by one where a commit takes 2 ms).
 */
export class CompletionBatcher {
  readonly #deps: Deps
  #waiting: Waiting[] = []
  #isBusy = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Resolves when the outcome is durable; rejects with LeaseLost if another runner has the job. */
  settle(settlement: Completion): Promise<void> {
    // A transaction that enqueues under the key may lock the job for a while, and would hold up the whole batch.
    if (settlement.isKeyed) return this.#alone(settlement)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...settlement, resolve, reject })
      if (!this.#isBusy) void this.#work()
    })
  }

  async #alone({ fence, next, payload }: Completion): Promise<void> {
    const { database, clock } = this.#deps
    if (!(await database.write((tx) => settle(tx, fence, next, payload, clock.now())))) throw new LeaseLost()
  }

  async #work(): Promise<void> {
    this.#isBusy = true
    while (this.#waiting.length > 0) {
      // Jobs that end in this turn of the event loop join the batch.
      await nextTurn()
      await this.#together(this.#waiting.splice(0, togetherMax))
    }
    this.#isBusy = false
  }

  async #together(all: readonly Waiting[]): Promise<void> {
    const { database, clock } = this.#deps
    try {
      const held = await database.write((tx) =>
        Promise.all(all.map(({ fence, next, payload }) => settle(tx, fence, next, payload, clock.now()))),
      )
      for (const [index, { resolve, reject }] of all.entries()) {
        if (held[index] === true) resolve()
        else reject(new LeaseLost())
      }
    } catch (error) {
      for (const { reject } of all) reject(error)
    }
  }
}
