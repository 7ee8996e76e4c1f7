import { LRUCache } from 'lru-cache'

const rememberedMax = 10_000

/**
 * Throttles by key: lets a call through at most once per interval. For timestamps that are hints for people, not exact
 * records of use.
 */
export function throttle(clock: { now(): number }, everyMs: number): (key: string, lastMs: number | null) => boolean {
  let last: LRUCache<string, number> | undefined
  return (key, lastMs) => {
    // Made at the first call: it lays out room for all of them at once.
    last ??= new LRUCache({ max: rememberedMax })
    const now = clock.now()
    const sinceMs = now - (last.get(key) ?? lastMs ?? 0)
    // A timestamp in the future was written before the clock was set back.
    if (sinceMs >= 0 && sinceMs < everyMs) return false
    last.set(key, now)
    return true
  }
}
