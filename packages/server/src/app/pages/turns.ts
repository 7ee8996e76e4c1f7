import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../kernel/errors.ts'

/** Longer than the work of a form takes, even on a busy machine. */
const patienceMs = 10_000
const pauseMsMax = 250

/**
 * Runs the work of a form. A second click sends the form again while the first is in progress, and the browser shows
 * only the second answer: it waits for the first, to show its result.
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
