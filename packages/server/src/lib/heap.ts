import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'

/**
 * The room of V8 for young objects, on top of the limit of `--max-old-space-size`: three times 64 MiB by
 * default. V8 reports only the sum, but ends the process when the old objects alone reach their share of it.
 */
const youngBytes = 192 * 1024 ** 2

/** Bytes that objects may take which have survived a collection. */
export function heapBytesMax(): number {
  const { heap_size_limit: limit } = getHeapStatistics()
  return Math.max(limit - youngBytes, limit / 4)
}

/** Soon above this share most of the work is garbage collection, and at the limit the process ends. */
const shareMax = 0.85

/** Returns whether new work should be refused because the heap is nearly full. Takes 5 µs. */
export const isHeapNearlyFull = (): boolean => heapBytesUsed() > heapBytesMax() * shareMax

const heapBytesUsed = (): number =>
  getHeapSpaceStatistics().reduce(
    (sum, { space_name: name, space_used_size: used }) => (name.startsWith('new_') ? sum : sum + used),
    0,
  )
