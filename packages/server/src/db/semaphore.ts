import { defined } from '../lib/guards.ts'
import { DatabaseCrowded, DatabaseOverloaded } from './errors.ts'

type Waiting = { readonly start: () => void; readonly timer: NodeJS.Timeout }

export type SemaphoreOptions = {
  readonly atOnceMax: number
  readonly waitingMax: number
  /** Limit for a single wait. */
  readonly waitMsMax: number
  /** Checked before further work starts while other work runs; work that runs alone always may. */
  readonly mayJoin: () => boolean
}

/** Limits how much work runs at once; the rest waits in the order in which it came. */
export class Semaphore {
  readonly #options: SemaphoreOptions
  readonly #waiting: Waiting[] = []
  #running = 0

  constructor(options: SemaphoreOptions) {
    this.#options = options
  }

  get waiting(): number {
    return this.#waiting.length
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length > 0 || !this.#mayStart()) await this.#wait()
    else this.#running++
    try {
      return await work()
    } finally {
      this.#running--
      while (this.#waiting.length > 0 && this.#mayStart()) this.#startNext()
    }
  }

  #mayStart(): boolean {
    return this.#running === 0 || (this.#running < this.#options.atOnceMax && this.#options.mayJoin())
  }

  #wait(): Promise<void> {
    const { waitingMax, waitMsMax } = this.#options
    if (this.#waiting.length >= waitingMax) throw new DatabaseCrowded(`${waitingMax} wait for their turn already`)
    return new Promise((start, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(
          this.#waiting.findIndex((one) => one.timer === timer),
          1,
        )
        reject(new DatabaseOverloaded(`No turn came within ${waitMsMax} ms`))
      }, waitMsMax)
      this.#waiting.push({ start, timer })
    })
  }

  /** Counted before it runs, so that no other work takes its slot. */
  #startNext(): void {
    const { start, timer } = defined(this.#waiting.shift())
    clearTimeout(timer)
    this.#running++
    start()
  }
}
