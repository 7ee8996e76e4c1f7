import { setTimeout as sleep } from 'node:timers/promises'
import type { Tx } from '../db/tx.ts'
import type { JobContext } from './types.ts'

/** A run ends after a while, so that other jobs get their turn. */
const runMs = 2000

const rowsFirst = 100
const rowsRange = { min: 20, max: 2000 }

/**
 * Processes many rows batch by batch, each in a transaction of its own and as large as its time allows, until a batch
 * returns something else than `more`, or for about two seconds. Returns what the last batch returned. After a crash of
 * the database, the last batches may be asked for again.
 */
export async function inBatches<Said extends string>(
  { database, signal }: Pick<JobContext, 'database' | 'signal'>,
  batch: (tx: Tx, rows: number) => Promise<Said | 'more'>,
  range: RowsRange = rowsRange,
): Promise<Said | 'more'> {
  const until = performance.now() + runMs
  for (let rows = rowsFirst; !signal.aborted && performance.now() < until;) {
    let began = 0
    const said = await database.write(
      (tx) => {
        // Where writers queue, the batch begins only now.
        began = performance.now()
        return batch(tx, rows)
      },
      { isDoneAgain: true },
    )
    if (said !== 'more') return said
    const tookMs = performance.now() - began
    rows = nextBatchSize(rows, tookMs, range)
    // Half of the time is left to other work.
    await sleep(tookMs)
  }
  return 'more'
}

/**
 * Target duration of a batch, unless the caller sets another: a batch holds up the one writer of SQLite, and on
 * Postgres the transactions that change its records.
 */
const usualMs = 10

type RowsRange = { readonly min: number; readonly max: number; readonly batchMs?: number }

/**
 * The number of rows of the next batch, given how long this one took: half as many if it took too long, twice as many
 * if it was short.
 */
export function nextBatchSize(rows: number, tookMs: number, { min, max, batchMs = usualMs }: RowsRange): number {
  const next = tookMs > batchMs ? Math.floor(rows / 2) : tookMs < batchMs / 2 ? rows * 2 : rows
  return Math.max(min, Math.min(max, next))
}
