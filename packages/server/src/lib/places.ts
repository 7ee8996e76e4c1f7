/** Places for tasks: only so many run at once, and others wait in the order in which they came. */
export class Places {
  #free: number
  /** Those who wait, in the order in which they came. */
  readonly #waiting = new Set<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  /** Runs a task once there is a place; rejects at once where it is aborted before. */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#turn(signal)
    try {
      return await task()
    } finally {
      // The place goes to the next in line; it is never free in between.
      const [next] = this.#waiting
      if (next === undefined) this.#free++
      else next()
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (then: () => void) => () => {
        this.#waiting.delete(begin)
        signal?.removeEventListener('abort', leave)
        then()
      }
      const begin = settle(resolve)
      const leave = settle(() => reject(signal?.reason))
      this.#waiting.add(begin)
      signal?.addEventListener('abort', leave)
    })
  }
}
