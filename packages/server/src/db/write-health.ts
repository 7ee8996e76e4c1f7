import { DatabaseUnavailable, type Away } from './errors.ts'

/** Small changes may still find room where larger ones fail: the database takes changes once none has failed for so long. */
const holdMs = 3000

const ofWrites: ReadonlySet<Away> = new Set(['read_only', 'disk_full', 'disk_failed'])

/** Remembers whether a database that can be read takes changes too, by what became of the last ones. */
export class WriteHealth {
  #away: Away | undefined
  #failedMs = 0

  /** Why it takes none; undefined where it does, as far as is known. */
  get away(): Away | undefined {
    return this.#away
  }

  /** Runs a change, and takes note of its outcome. */
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

  /** Throws while the database takes no changes; `probe` makes one that changes nothing, since others may not come. */
  async assert(probe: () => Promise<unknown>): Promise<void> {
    if (this.#away !== undefined) await probe()
    if (this.#away !== undefined) throw new DatabaseUnavailable(this.#away)
  }
}

/** For a probe, whose failure has been noted. */
export function unlessAway(error: unknown): void {
  if (!(error instanceof DatabaseUnavailable)) throw error
}
