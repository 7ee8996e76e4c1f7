import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Tx } from '../db/tx.ts'
import { removeUnkeyed, settle, type JobAttempt, type Fence, type Next } from './outcomes/store.ts'
import { LeaseLost, type Deps } from './types.ts'

export type Completion = {
  readonly fence: Fence
  readonly isKeyed: boolean
  readonly next: Next
  readonly payload: unknown
}

type Waiting = Completion & { readonly resolve: () => void; readonly reject: (error: unknown) => void }

/** The most completions in one transaction: more than one claim takes, whose jobs may all end at once. */
const togetherMax = 200

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
      const held = await database.write((tx) => storeAll(tx, all, clock.now()))
      for (const { fence, resolve, reject } of all) {
        if (held.has(nameOf(fence))) resolve()
        else reject(new LeaseLost())
      }
    } catch (error) {
      for (const { reject } of all) reject(error)
    }
  }
}

/** Two runs of one job may end together, of which the earlier has lost it. */
const nameOf = ({ id, attempt }: JobAttempt): string => `${id} ${attempt}`

/** Stores outcomes of jobs without keys; returns the names of the runs that still held them. */
async function storeAll(tx: Tx, all: readonly Completion[], now: number): Promise<ReadonlySet<string>> {
  const isDone = ({ next }: Completion): boolean => next.state === 'done'
  const [removed, stored] = await Promise.all([
    removeUnkeyed(
      tx,
      all.filter(isDone).map(({ fence }) => fence),
    ),
    Promise.all(
      all
        .filter((one) => !isDone(one))
        .map(async ({ fence, next, payload }) => ((await settle(tx, fence, next, payload, now)) ? [fence] : [])),
    ),
  ])
  return new Set([...removed, ...stored.flat()].map(nameOf))
}
