import type { Database } from '../db/tx.ts'
import type { RateLimiter, TakenTokens } from '../kernel/rate-limit.ts'
import { isList, isString } from '../lib/guards.ts'

/** Tokens that were taken within this time are sent together. */
const gapMs = 100

/** A message of Postgres has at most 8,000 bytes, and a key about 70. */
const keysMax = 80

/**
 * Lets the servers of one database share a limit: each tells the others which tokens it has taken, in portions of a
 * hundredth of the limit, and takes theirs from its own buckets. Without messages each counts by itself
 * (docs/decisions/0029).
 */
export function sharedLimit(database: Database, limiter: RateLimiter | undefined): RateLimiter | undefined {
  if (limiter === undefined) return undefined
  const { name } = limiter.policy
  let timer: NodeJS.Timeout | undefined
  const send = (): void => {
    timer = undefined
    const data = limiter.drainTaken(keysMax)
    if (data.length > 0) database.send({ name: `limit ${name}`, data })
    if (data.length === keysMax) timer = setTimeout(send, gapMs).unref()
  }
  limiter.onTaken(() => (timer ??= setTimeout(send, gapMs).unref()))
  database.receive(`limit ${name}`, (data) => {
    for (const [key, tokens] of takenIn(data)) limiter.charge(key, tokens)
  })
  return limiter
}

const takenIn = (data: unknown): TakenTokens =>
  isList(data)
    ? data.flatMap((one) => {
        if (!isList(one)) return []
        const [key, tokens] = one
        return isString(key) && typeof tokens === 'number' && tokens > 0 ? [[key, tokens] as const] : []
      })
    : []
