import { DatabaseUnavailable, type Away } from './errors.ts'

/**
 * Small writes may still find space where larger ones fail, so the database counts as writable only after so long
 * without a failure.
 */
const holdMs = 3000

const ofWrites: ReadonlySet<Away> = new Set(['read_only', 'disk_full', 'disk_failed'])

/** Tracks whether a readable database accepts writes too, from the outcomes of the last ones. */
export class WriteHealth {
  #away: Away | undefined
  #failedMs = 0

  /** Why it accepts no writes; undefined if it does, as far as is known. */
  get away(): Away | undefined {
    return this.#away
  }

  /** Runs a write and records its outcome. */
  async noting<T>(change: () => Promise<T>): Promise<T> {
    try {
      const value = await change()
      if (this.#away !== undefined && performance.now() - this.#failedMs > holdMs) this.#away = undefined
      return value
    } catch (error) {
      if (error instanceof DatabaseUnavailable && ofWrites.has(error.away)) {
        this.#away = error.away
        this.#failedMs = performance.now()
      }
      throw error
    }
  }

  /**
   * Throws while the database accepts no writes. `probe` makes a write that changes nothing, since no other may come.
   */
  async assert(probe: () => Promise<unknown>): Promise<void> {
    if (this.#away !== undefined) await probe()
    if (this.#away !== undefined) throw new DatabaseUnavailable(this.#away)
  }
}

/** Handles the error of a probe, whose failure has been recorded. */
export function unlessAway(error: unknown): void {
  if (!(error instanceof DatabaseUnavailable)) throw error
}
