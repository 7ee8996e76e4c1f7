import { foldCounts, foldsCounts } from './db/counters.ts'
import type { Database, Tx } from './db/tx.ts'
import { every, type Recurring } from './engine/recurring.ts'
import type { JobContext } from './engine/types.ts'

/** Lets requests through between two portions. */
const pauseMs = 20

/** Others take it over so soon after a crash; a portion takes milliseconds. */
const leaseMs = 10_000

/** One portion of work in a transaction; whether there is more. */
type Portion = (tx: Tx, now: number) => Promise<boolean>

const inPortions = (portion: Portion) => (context: JobContext) =>
  context.conclude(async (tx) => ((await portion(tx, context.clock.now())) ? { state: 'again' as const, inMs: pauseMs } : { state: 'done' as const }))

/** What a database needs of us again and again. */
export const upkeepOf = ({ dialect }: Database): Recurring[] =>
  // Announcements bring it within the second; the minute is for what a node left that died.
  foldsCounts(dialect) ? [every(60_000, { name: 'counts.fold', leaseMs, run: inPortions(foldCounts) }, { on: 'counts', gapMs: 1000 })] : []
