/** How long a portion shall take, where nothing else is said: it holds up the one writer of SQLite, and on Postgres those who change its records. */
const usualMs = 10

export type RowsRange = { readonly min: number; readonly max: number; readonly batchMs?: number }

/** How many rows the next portion has, by how long this one took: half as many where it was too long, twice as many where it was short. */
export function nextBatchSize(rows: number, tookMs: number, { min, max, batchMs = usualMs }: RowsRange): number {
  const next = tookMs > batchMs ? Math.floor(rows / 2) : tookMs < batchMs / 2 ? rows * 2 : rows
  return Math.max(min, Math.min(max, next))
}
