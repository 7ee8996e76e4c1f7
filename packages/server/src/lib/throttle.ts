import { LRUCache } from 'lru-cache'
import { roomFor } from './caches.ts'

const rememberedMax = 10_000

/**
 * Throttles by key: lets a call through at most once per interval. For timestamps that are hints for people, not exact
 * records of use.
 */
export function throttle(clock: { now(): number }, everyMs: number): (key: string, lastMs: number | null) => boolean {
  const last = new LRUCache<string, number>(roomFor(rememberedMax))
  return (key, lastMs) => {
    const now = clock.now()
    const sinceMs = now - (last.get(key) ?? lastMs ?? 0)
    // A timestamp in the future was written before the clock was set back.
    if (sinceMs >= 0 && sinceMs < everyMs) return false
    last.set(key, now)
    return true
  }
}
