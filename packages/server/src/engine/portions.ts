import { setTimeout as sleep } from 'node:timers/promises'
import type { Tx } from '../db/tx.ts'
import type { JobContext } from './types.ts'

/** A run ends after a while, so that the jobs of others come to their turn. */
const runMs = 2000

/** How long a portion shall take, unless it says otherwise: it holds up the one writer of SQLite, and on Postgres those who change its records. */
const portionMsDefault = 10

const rowsFirst = 100
const rowsMin = 20
const rowsMax = 2000

/**
 * Does many rows of work portion by portion, each in a transaction of its own and as large as its time allows, until one says
 * something else than `more`, or for about two seconds. What the last one said.
 */
export async function inPortions<Said extends string>(
  { database, signal }: Pick<JobContext, 'database' | 'signal'>,
  portion: (tx: Tx, rows: number) => Promise<Said | 'more'>,
  portionMs = portionMsDefault,
): Promise<Said | 'more'> {
  const until = performance.now() + runMs
  for (let rows = rowsFirst; !signal.aborted && performance.now() < until; ) {
    let began = 0
    const said = await database.write((tx) => {
      // Where writers stand in a queue, the portion begins only now.
      began = performance.now()
      return portion(tx, rows)
    })
    if (said !== 'more') return said
    const tookMs = performance.now() - began
    rows = Math.max(rowsMin, Math.min(rowsMax, tookMs > portionMs ? Math.floor(rows / 2) : tookMs < portionMs / 2 ? rows * 2 : rows))
    // Half of the time belongs to others.
    await sleep(tookMs)
  }
  return 'more'
}
