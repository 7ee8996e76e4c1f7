import { foldCounts, foldsCounts } from '../modules/counters/index.ts'
import { trimEvents, sequenceOutbox, sequencesLater } from '../modules/events/index.ts'
import { forgetAnswers } from '../modules/requests/index.ts'
import type { Database, Tx } from '../db/tx.ts'
import { every, type Recurring } from '../engine/recurring.ts'
import { forgetFailed } from '../engine/overview/store.ts'
import type { JobContext, JobOutcome } from '../engine/types.ts'
import { sweepTasks } from '../modules/async-tasks/index.ts'
import { tendSigningKeys } from '../modules/identity/tokens/index.ts'
import { purgeDeleted } from '../modules/index.ts'
import { sweepSignIns } from '../modules/identity/sign-in/index.ts'
import { forgetArtifacts } from '../modules/identity/oauth/index.ts'

/** Lets requests through between two batches. */
const pauseMs = 20

/** How soon other nodes take the work over after a crash. A batch takes milliseconds, and may have to queue. */
const leaseMs = 10_000

const seconds = 1000
const minutes = 60 * seconds
const hours = 60 * minutes

/** One batch of work in a transaction; returns whether there is more. */
type Batch = (tx: Tx, now: number) => Promise<boolean>

const upkeep = (name: string, everyMs: number, batch: Batch, early?: Pick<Recurring, 'on' | 'gapMs'>): Recurring => {
  const run = ({ clock, conclude }: JobContext): Promise<JobOutcome<Record<string, never>>> =>
    conclude(async (tx) => ((await batch(tx, clock.now())) ? { state: 'again', inMs: pauseMs } : { state: 'done' }))
  return every(everyMs, { name, leaseMs, run }, early)
}

/**
 * The maintenance of a database. If a commit publishes that there is work, it runs at once; the interval is for work
 * that a node left behind when it died after its commit.
 */
export const upkeepOf = ({ dialect }: Pick<Database, 'dialect'>): Recurring[] => [
  ...(sequencesLater(dialect)
    ? [upkeep('outbox.sequence', 5 * seconds, sequenceOutbox, { on: 'outbox', gapMs: 50 })]
    : []),
  ...(foldsCounts(dialect) ? [upkeep('counts.fold', minutes, foldCounts, { on: 'counts', gapMs: 1000 })] : []),
  upkeep('idempotency.forget', 10 * minutes, forgetAnswers),
  upkeep('events.trim', hours, trimEvents),
  upkeep('jobs.forget', 6 * hours, forgetFailed),
  upkeep('async-tasks.sweep', hours, sweepTasks),
  upkeep('sign-ins.sweep', hours, sweepSignIns),
  upkeep('oauth.forget', 10 * minutes, forgetArtifacts),
  upkeep('signing-keys.tend', hours, tendSigningKeys),
  every(hours, {
    name: 'records.purge',
    leaseMs,
    run: async ({ database, clock }) =>
      (await purgeDeleted(database, clock)).more ? { state: 'again', inMs: pauseMs } : { state: 'done' },
  }),
]
