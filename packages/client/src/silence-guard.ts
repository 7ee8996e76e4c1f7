/** Aborts its signal when nothing was heard for a time. */
export class SilenceGuard {
  readonly #ms: number
  readonly #controller = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(ms: number) {
    this.#ms = ms
    this.extend()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Something was heard: the time begins anew. */
  extend(): void {
    this.stop()
    this.#timer = setTimeout(
      () => this.#controller.abort(new Error(`nothing has come for ${this.#ms / 1000} seconds`)),
      this.#ms,
    )
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
