import type { ReadRow } from './reading/map-rows.ts'

/** Rows in one transaction: enough to share its costs, few enough that others wait for milliseconds. */
const rowsMax = 500

/** Bytes of the rows of one transaction in the file. */
const bytesMax = 512 * 1024

/** Splits the rows of a window into those of one transaction each. */
export function portionsOf(rows: readonly ReadRow[]): ReadRow[][] {
  const portions: ReadRow[][] = []
  let current: ReadRow[] = []
  let from = 0
  for (const row of rows) {
    current.push(row)
    if (current.length < rowsMax && row.end - from < bytesMax) continue
    portions.push(current)
    current = []
    from = row.end
  }
  return current.length === 0 ? portions : [...portions, current]
}
