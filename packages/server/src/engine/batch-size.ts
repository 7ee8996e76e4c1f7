/**
 * Target duration of a batch, unless the caller sets another: a batch holds up the one writer of SQLite, and on
 * Postgres the transactions that change its records.
 */
const usualMs = 10

export type RowsRange = { readonly min: number; readonly max: number; readonly batchMs?: number }

/**
 * The number of rows of the next batch, given how long this one took: half as many if it took too long, twice as many
 * if it was short.
 */
export function nextBatchSize(rows: number, tookMs: number, { min, max, batchMs = usualMs }: RowsRange): number {
  const next = tookMs > batchMs ? Math.floor(rows / 2) : tookMs < batchMs / 2 ? rows * 2 : rows
  return Math.max(min, Math.min(max, next))
}
