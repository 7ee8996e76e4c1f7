import type { Clock } from '../kernel/clock.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** More than a clock that is corrected little by little moves between two looks. */
const shiftMs = 1000

/** By how much the clock of day is ahead of the one that never jumps. */
const shiftOf = (clock: Clock): number => clock.now() - clock.monotonicMs()

/** Notices that the clock of day was set: then other jobs are due than were waited for. */
export class ClockWatch {
  readonly #clock: Clock
  #shift: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#shift = shiftOf(clock)
  }

  /** Returns whether it was set since the last time that this was asked and true. */
  wasSet(): boolean {
    const shift = shiftOf(this.#clock)
    if (Math.abs(shift - this.#shift) <= shiftMs) return false
    this.#shift = shift
    return true
  }
}

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
