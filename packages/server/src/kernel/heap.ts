import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'

/**
 * What V8 reserves for young objects, on top of the limit that `--max-old-space-size` sets: three times 64 MiB, unless
 * somebody says otherwise. It tells only the sum, and ends the process where the old ones alone reach their part of it.
 */
const youngBytes = 192 * 1024 ** 2

/** Bytes that objects may take which have outlived a collection. */
export function heapBytesMax(): number {
  const { heap_size_limit: limit } = getHeapStatistics()
  return Math.max(limit - youngBytes, limit / 4)
}

/** Collecting becomes most of the work soon after, and the process ends at the limit. */
const shareMax = 0.85

/** Whether little more should be begun. Takes 5 µs. */
export const isHeapNearlyFull = (): boolean => heapBytesUsed() > heapBytesMax() * shareMax

const heapBytesUsed = (): number =>
  getHeapSpaceStatistics().reduce(
    (sum, { space_name: name, space_used_size: used }) => (name.startsWith('new_') ? sum : sum + used),
    0,
  )
