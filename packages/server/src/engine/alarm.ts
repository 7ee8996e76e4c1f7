import { setImmediate as nextTurn } from 'node:timers/promises'

/** A wait that can be cut short, even before it begins. */
export class Alarm {
  #rung = false
  #wake: (() => void) | undefined

  ring(): void {
    this.#rung = true
    this.#wake?.()
  }

  async wait(ms: number): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    // Whatever else happens in this turn of the event loop needs no wake-up of its own.
    await nextTurn()
    this.#rung = false
    this.#wake = undefined
  }
}
