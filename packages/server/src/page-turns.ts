import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from './kernel/errors.ts'

/** Longer than what a form asks for takes, also on a busy machine. */
const patienceMs = 10_000
const pauseMsMax = 250

/**
 * Runs what a form asks for. A second click sends the form again while it is being worked on, and the browser then shows
 * the second answer alone: that one waits for the first, so as to show what it made.
 */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + patienceMs
  for (let pauseMs = 10; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'idempotency_in_progress' || performance.now() > until)
        throw error
    }
    await sleep(pauseMs)
  }
}
