import { setTimeout as sleep } from 'node:timers/promises'
import type { Tx } from '../db/tx.ts'
import { nextBatchSize, type RowsRange } from './batch-size.ts'
import type { JobContext } from './types.ts'

/** A run ends after a while, so that other jobs get their turn. */
const runMs = 2000

const rowsFirst = 100
const rowsRange = { min: 20, max: 2000 }

/**
 * Processes many rows batch by batch, each in a transaction of its own and as large as its time allows, until a batch
 * returns something else than `more`, or for about two seconds. Returns what the last batch returned.
 */
export async function inBatches<Said extends string>(
  { database, signal }: Pick<JobContext, 'database' | 'signal'>,
  batch: (tx: Tx, rows: number) => Promise<Said | 'more'>,
  range: RowsRange = rowsRange,
): Promise<Said | 'more'> {
  const until = performance.now() + runMs
  for (let rows = rowsFirst; !signal.aborted && performance.now() < until;) {
    let began = 0
    const said = await database.write((tx) => {
      // Where writers queue, the batch begins only now.
      began = performance.now()
      return batch(tx, rows)
    })
    if (said !== 'more') return said
    const tookMs = performance.now() - began
    rows = nextBatchSize(rows, tookMs, range)
    // Half of the time is left to other work.
    await sleep(tookMs)
  }
  return 'more'
}
