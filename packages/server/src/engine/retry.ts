import { randomFraction } from '../kernel/ids.ts'
import type { Next } from './outcomes/store.ts'

const maxAttemptsByDefault = 12

const firstMs = 1000
const longestMs = 3_600_000

/**
 * The wait after a number of consecutive failures: twice as long each time, up to an hour, with a jitter of half to
 * either side.
 */
const retryInMs = (failures: number): number =>
  Math.round(Math.min(firstMs * 2 ** (failures - 1), longestMs) * (0.5 + randomFraction()))

/** Decides what happens to a job after a number of consecutive failures. */
export const afterFailure = (failures: number, maxAttempts: number | undefined, error: string): Next =>
  failures >= (maxAttempts ?? maxAttemptsByDefault)
    ? { state: 'failed', failures, error }
    : { state: 'retry', inMs: retryInMs(failures), failures, losses: 0, error }
