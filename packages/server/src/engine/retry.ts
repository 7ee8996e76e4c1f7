import { randomFraction } from '../kernel/ids.ts'
import type { Next } from './outcomes/store.ts'

const maxAttemptsByDefault = 12

const firstMs = 1000
const longestMs = 3_600_000

/** How long to wait after so many failures in a row: twice as long each time, up to an hour, spread by half to either side. */
const retryInMs = (failures: number): number =>
  Math.round(Math.min(firstMs * 2 ** (failures - 1), longestMs) * (0.5 + randomFraction()))

/** What becomes of a job that has failed so many times in a row. */
export const afterFailure = (failures: number, maxAttempts: number | undefined, error: string): Next =>
  failures >= (maxAttempts ?? maxAttemptsByDefault)
    ? { state: 'failed', failures, error }
    : { state: 'retry', inMs: retryInMs(failures), failures, error }
