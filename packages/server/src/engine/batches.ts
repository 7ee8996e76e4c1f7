import { setTimeout as sleep } from 'node:timers/promises'
import type { Tx } from '../db/tx.ts'
import { nextBatchSize, type RowsRange } from './batch-size.ts'
import type { JobContext } from './types.ts'

/** A run ends after a while, so that the jobs of others come to their turn. */
const runMs = 2000

const rowsFirst = 100
const rowsRange = { min: 20, max: 2000 }

/**
 * Does many rows of work portion by portion, each in a transaction of its own and as large as its time allows, until one says
 * something else than `more`, or for about two seconds. What the last one said.
 */
export async function inBatches<Said extends string>(
  { database, signal }: Pick<JobContext, 'database' | 'signal'>,
  portion: (tx: Tx, rows: number) => Promise<Said | 'more'>,
  range: RowsRange = rowsRange,
): Promise<Said | 'more'> {
  const until = performance.now() + runMs
  for (let rows = rowsFirst; !signal.aborted && performance.now() < until;) {
    let began = 0
    const said = await database.write((tx) => {
      // Where writers stand in a queue, the portion begins only now.
      began = performance.now()
      return portion(tx, rows)
    })
    if (said !== 'more') return said
    const tookMs = performance.now() - began
    rows = nextBatchSize(rows, tookMs, range)
    // Half of the time belongs to others.
    await sleep(tookMs)
  }
  return 'more'
}
