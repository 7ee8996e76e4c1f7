import { handled } from '../../lib/promises.ts'

/** A position of the primary, and when it was asked for: whatever was committed by then is before it. */
type Sample = { readonly sentMs: number; readonly position: string }

type Options = {
  readonly ask: () => Promise<string>
  /** Greatest age of what a replica may show. */
  readonly lagMs: number
  readonly now: () => number
}

/** Samples in the time of the permitted lag. */
const samplesInLag = 4

/** Parts of that time of which the newest sample is kept: reads that must see the latest changes ask more often. */
const partsOfLag = 64

/**
 * Knows how far the log of the primary was at which time, by the clock of this process alone. It asks while there are
 * reads, and nothing in an idle installation.
 */
export class PrimaryPositions {
  readonly #options: Options
  /** The oldest first. */
  #samples: Sample[] = []
  #isWanted = false
  #isRefreshing = false
  #asked: { readonly sentMs: number; readonly sample: Promise<Sample> } | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /** Returns a position behind everything that was committed before the permitted lag, and before `sinceMs`. */
  async behind(sinceMs: number): Promise<string> {
    const { lagMs } = this.#options
    const now = this.#options.now()
    const fromMs = Math.max(now - lagMs, sinceMs)
    const known = this.#samples.find(({ sentMs }) => sentMs >= fromMs)
    if (known === undefined) return (await this.#ask(fromMs)).position
    const nextMs = now - lagMs / samplesInLag
    if ((this.#samples.at(-1)?.sentMs ?? 0) < nextMs) void this.#ask(nextMs)
    return known.position
  }

  /** Asks in the background: now, or once for all who want it while a question is under way. */
  refresh(): void {
    this.#isWanted = true
    if (!this.#isRefreshing) void this.#refresh()
  }

  /** Returns how long ago the first change was made that a replica at a position does not show, as far as is known. */
  lagAt(position: string): number {
    const missing = this.#samples.find((sample) => sample.position > position)
    return missing === undefined ? 0 : this.#options.now() - missing.sentMs
  }

  async #refresh(): Promise<void> {
    this.#isRefreshing = true
    while (this.#isWanted) {
      this.#isWanted = false
      await this.#ask(this.#options.now()).catch(() => undefined)
    }
    this.#isRefreshing = false
  }

  /** Asks once for all who can use the same response. */
  #ask(fromMs: number): Promise<Sample> {
    if (this.#asked === undefined || this.#asked.sentMs < fromMs) {
      const sentMs = this.#options.now()
      this.#asked = { sentMs, sample: handled(this.#take(sentMs)) }
    }
    return this.#asked.sample
  }

  #partOf(sample: Sample | undefined): number | undefined {
    return sample && Math.floor((sample.sentMs / this.#options.lagMs) * partsOfLag)
  }

  async #take(sentMs: number): Promise<Sample> {
    try {
      const sample = { sentMs, position: await this.#options.ask() }
      const oldestMs = this.#options.now() - this.#options.lagMs
      const samples = [...this.#samples.filter((one) => one.sentMs >= oldestMs), sample]
      samples.sort((one, other) => one.sentMs - other.sentMs)
      this.#samples = samples.filter((one, at) => this.#partOf(one) !== this.#partOf(samples[at + 1]))
      return sample
    } finally {
      if (this.#asked?.sentMs === sentMs) this.#asked = undefined
    }
  }
}
