import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimiter } from '../kernel/rate-limit.ts'

const windowSeconds = 60

/** So many calls a minute for each key, counted in this process; undefined for 0, which is off. */
export function createRateLimiter(perMinute: number): RateLimiter | undefined {
  if (perMinute === 0) return undefined
  const limiter = new RateLimiterMemory({ points: perMinute, duration: windowSeconds })
  return {
    async take(key) {
      const result = await limiter.consume(key).catch((refused: unknown) => {
        if (refused instanceof RateLimiterRes) return refused
        throw refused
      })
      return {
        allowed: result.consumedPoints <= perMinute,
        limit: perMinute,
        remaining: Math.max(0, result.remainingPoints),
        resetSeconds: Math.ceil(result.msBeforeNext / 1000),
        windowSeconds,
      }
    },
  }
}
