import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

const rememberedMax = 10_000

/** Lets something through for a key at most once in a while, for notes that are hints for people and not records of use. */
export function throttle(clock: Clock, everyMs: number): (key: string, lastMs: number | null) => boolean {
  const last = new LRUCache<string, number>({ max: rememberedMax })
  return (key, lastMs) => {
    const now = clock.now()
    const sinceMs = now - (last.get(key) ?? lastMs ?? 0)
    // What was noted in the future was noted before the clock was set back.
    if (sinceMs >= 0 && sinceMs < everyMs) return false
    last.set(key, now)
    return true
  }
}
