import { DatabaseCrowded, DatabaseOverloaded } from './errors.ts'

type Waiting = { readonly start: () => void; readonly timer: NodeJS.Timeout }

export type SemaphoreOptions = {
  readonly atOnceMax: number
  readonly waitingMax: number
  /** Of one wait. */
  readonly waitMsMax: number
  /** Asked before a second one starts while another runs; alone, everybody may. */
  readonly mayJoin: () => boolean
}

/** Lets work run, so much of it at once, and the rest in the order in which it came. */
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

  /** Counted before it runs, so that nobody else takes its place. */
  #startNext(): void {
    const { start, timer } = this.#waiting.shift() as Waiting
    clearTimeout(timer)
    this.#running++
    start()
  }
}
