import { setImmediate as nextTurn } from 'node:timers/promises'

/** A wait that can be cut short, even before it begins. */
export class Alarm {
  #rung = false
  #wake: (() => void) | undefined

  ring(): void {
    this.#rung = true
    this.#wake?.()
  }

  /** Waits so long, or until it is rung; returns whether it was. */
  async wait(ms: number): Promise<boolean> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const timer = ms === Infinity ? undefined : setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    // Whatever else happens in this turn of the event loop needs no wake-up of its own.
    await nextTurn()
    const rung = this.#rung
    this.#rung = false
    this.#wake = undefined
    return rung
  }
}
