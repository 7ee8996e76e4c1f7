import type { Logger } from 'pino'
import type { Transport } from '../http/transport.ts'
import { toFailure } from '../kernel/invoke/database-failures.ts'

/** Logs the errors of requests; a database that is away is only warned of. */
export const errorNote =
  (logger: Logger): Transport['onError'] =>
  (error, requestId) => {
    // A note beside a request is written another time.
    if (toFailure(error) === error) logger.error({ err: error, requestId }, 'unexpected error')
    else logger.warn({ err: error, requestId }, 'something waits for the database')
  }

/** Counts and logs rejections that nothing waits for. */
export function countUnhandled(logger: Logger) {
  let count = 0
  const add = (reason: unknown): void => {
    count++
    logger.error({ err: reason }, 'unhandled rejection')
  }
  return { count: () => count, add }
}
