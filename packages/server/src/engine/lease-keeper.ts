import { renewLeases, type JobAttempt } from './outcomes/store.ts'
import type { Deps } from './types.ts'

/** A run of a job whose lease is kept. */
export type KeptLease = JobAttempt & {
  /** Its lease counts from an instant of the monotonic clock again. */
  readonly renewed: (sentAt: number) => void
  /** Another runner has its job. */
  readonly lost: () => void
}

/** A lease of four seconds may miss two signs. */
const beatMs = 1000

/** Renews the leases of runs for as long as they go on and the process lives, all by one statement a second. */
export class LeaseKeeper {
  readonly #deps: Deps
  readonly #leasedBy: string
  readonly #kept = new Set<KeptLease>()
  #timer: NodeJS.Timeout | undefined
  #leasedAt = 0
  #isRenewing = false

  constructor(deps: Deps, leasedBy: string) {
    this.#deps = deps
    this.#leasedBy = leasedBy
  }

  keep(run: KeptLease): void {
    this.#kept.add(run)
    this.#timer ??= setInterval(() => void this.#renew(), beatMs)
  }

  /** Returns whether a run of this process has the job: it renews the lease, or will. */
  holds({ id, attempt }: JobAttempt): boolean {
    return [...this.#kept].some((run) => run.id === id && run.attempt === attempt)
  }

  /** Called when the run has ended. */
  release(run: KeptLease): void {
    this.#kept.delete(run)
    if (this.#kept.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #renew(): Promise<void> {
    if (this.#isRenewing) return
    this.#isRenewing = true
    const runs = [...this.#kept]
    const sentAt = performance.now()
    // Always a different value, even after the clock was set back: other processes look for the change.
    this.#leasedAt = Math.max(this.#leasedAt + 1, this.#deps.clock.now())
    try {
      const ids = runs.map(({ id }) => id)
      const held = await this.#deps.database.write((tx) => renewLeases(tx, this.#leasedBy, ids, this.#leasedAt))
      const attempts = new Map(held.map(({ id, attempt }) => [id, attempt]))
      // One that has ended meanwhile holds nothing either.
      for (const run of runs.filter((one) => this.#kept.has(one))) {
        if (attempts.get(run.id) === run.attempt) run.renewed(sentAt)
        else run.lost()
      }
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'leases of jobs were not renewed')
    } finally {
      this.#isRenewing = false
    }
  }
}
