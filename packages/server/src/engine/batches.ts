import { setTimeout as sleep } from 'node:timers/promises'
import type { Tx } from '../db/tx.ts'
import type { JobContext } from './types.ts'

/** A run ends after a while, so that other jobs get their turn. */
const runMs = 2000

const rowsFirst = 100
const rowsRange = { min: 20, max: 2000 }

type Where = Pick<JobContext, 'signal'> & { readonly database: Pick<JobContext['database'], 'write'> }

/**
 * Processes many rows batch by batch, each in a transaction of its own and as large as its time allows, until a batch
 * returns something else than `more`, or for about two seconds. Returns what the last batch returned. After a crash of
 * the database, the last batches may be asked for again.
 */
export const inBatches = async <Said extends string>(
  where: Where,
  batch: (tx: Tx, rows: number) => Promise<Said | 'more'>,
  range: RowsRange = rowsRange,
): Promise<Said | 'more'> => (await eachBatch(where, batch, (said) => said !== 'more', range)) ?? 'more'

/**
 * The same in an order: each batch begins at the place that the one before it returned when it was committed, and the
 * last one returns undefined. Returns where to go on; undefined at the end.
 */
export async function inBatchesFrom<Place>(
  where: Where,
  from: Place,
  batch: (tx: Tx, rows: number, from: Place) => Promise<Place | undefined>,
  range: RowsRange = rowsRange,
): Promise<Place | undefined> {
  let at: Place | undefined = from
  await eachBatch(
    where,
    (tx, rows) => batch(tx, rows, at as Place),
    (next) => (at = next) === undefined,
    range,
  )
  return at
}

/** Returns what the batch returned which was the last; undefined if there was not enough time for all. */
async function eachBatch<Said>(
  { database, signal }: Where,
  batch: (tx: Tx, rows: number) => Promise<Said>,
  isLast: (said: Said) => boolean,
  range: RowsRange,
): Promise<Said | undefined> {
  const until = performance.now() + runMs
  for (let rows = rowsFirst; !signal.aborted && performance.now() < until;) {
    let began = 0
    const { said, isAlone } = await database.write(
      async (tx) => {
        // Where writers queue, the batch begins only now.
        began = performance.now()
        return { said: await batch(tx, rows), isAlone: await tx.isAlone() }
      },
      { isDoneAgain: true },
    )
    if (isLast(said)) return said
    const tookMs = performance.now() - began
    rows = nextBatchSize(rows, tookMs, range)
    // Half of the time is left to others, and little where there are none.
    await sleep(isAlone ? tookMs / 10 : tookMs)
  }
  return undefined
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
