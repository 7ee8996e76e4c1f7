import { heapBytesMax, isHeapNearlyFull } from '../lib/heap.ts'
import { RowsTooLarge } from './errors.ts'

/** The share of the heap that the rows of one statement may take: they are presented and written as JSON too. */
const shareMax = 1 / 16

/** Smaller rows are read even if the heap is nearly full. */
const checkedBytes = 2 ** 20

/** The room that they always have, in a small heap too: the events of some large records must fit. */
const leastMax = 64 * 2 ** 20

/** Bytes that the rows of one statement may have. */
export const rowBytesMax = Math.max(leastMax, heapBytesMax() * shareMax)

/**
 * Counts the bytes of rows while a statement returns them, so that large records cannot fill the heap: throws
 * `RowsTooLarge` (0262).
 */
export class RowBytes {
  total = 0
  readonly #max: number
  #checkedAt = checkedBytes

  constructor(max: number = rowBytesMax) {
    this.#max = max
  }

  add(bytes: number): void {
    this.total += bytes
    if (this.total < this.#checkedAt) return
    this.#checkedAt = this.total + checkedBytes
    if (this.total > this.#max || isHeapNearlyFull())
      throw new RowsTooLarge(`The rows have more than ${this.total} bytes`)
  }
}

/** Rows that were read, and whether there may be more. */
type Fitting<T> = { readonly rows: readonly T[]; readonly mayHaveMore: boolean }

/** Reads at most so many rows outside of a transaction, and fewer where they are too large to be read together. */
export async function readFitting<T>(
  rowsMax: number,
  read: (rowsMax: number) => Promise<readonly T[]>,
): Promise<Fitting<T>> {
  for (let some = rowsMax; ; some = Math.ceil(some / 4))
    try {
      const rows = await read(some)
      return { rows, mayHaveMore: rows.length >= some }
    } catch (error) {
      if (!(error instanceof RowsTooLarge) || some <= 1) throw error
    }
}
