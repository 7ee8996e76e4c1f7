import { setTimeout as sleep } from 'node:timers/promises'
import { errorDefinitions } from '@kontor/contract'
import { ConnectionFailed, KontorError } from '@kontor/client'
import { Interrupted } from '../errors.ts'

export type Persistence = {
  /** Time in which a request is tried again before its failure counts. */
  readonly forMs: number
  /** Told once for each request that has to wait. */
  readonly onWait: (error: Error) => void
  readonly onResume: () => void
  /** Ends the waiting. */
  readonly signal: AbortSignal
}

const delayMsMax = 5000

/** Tries again while the server is away or busy. The request must be safe to repeat: a read, or one with a key. */
export async function persist<T>(
  attempt: () => Promise<T>,
  { forMs, onWait, onResume, signal }: Persistence,
): Promise<T> {
  const deadline = performance.now() + forMs
  for (let failures = 0; ; failures++) {
    try {
      const answer = await attempt()
      if (failures > 0) onResume()
      return answer
    } catch (error) {
      if (!isTransient(error) || performance.now() > deadline) throw error
      if (failures === 0) onWait(error)
      const delayMs =
        error instanceof KontorError && error.retryAfterSeconds !== undefined
          ? error.retryAfterSeconds * 1000
          : Math.min(250 * 2 ** failures, delayMsMax)
      await sleep(delayMs, undefined, { signal }).catch(() => {
        throw new Interrupted('Interrupted.', { cause: error })
      })
    }
  }
}

function isTransient(error: unknown): error is Error {
  if (error instanceof ConnectionFailed) return true
  if (!(error instanceof KontorError)) return false
  return error.code === undefined ? error.status >= 502 : errorDefinitions[error.code].retry === 'later'
}
