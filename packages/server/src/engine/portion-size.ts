/** How long a portion shall take: it holds up the one writer of SQLite, and on Postgres those who change its records. */
const portionMs = 10

export type RowsRange = { readonly min: number; readonly max: number }

/** How many rows the next portion has, by how long this one took: half as many where it was too long, twice as many where it was short. */
export function nextRows(rows: number, tookMs: number, { min, max }: RowsRange): number {
  const next = tookMs > portionMs ? Math.floor(rows / 2) : tookMs < portionMs / 2 ? rows * 2 : rows
  return Math.max(min, Math.min(max, next))
}
