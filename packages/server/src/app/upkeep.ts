import { counterUpkeep, foldsCounts } from '../modules/counters/index.ts'
import { eventUpkeep, outboxUpkeep, sequencesLater } from '../modules/events/index.ts'
import { answerUpkeep } from '../modules/requests/index.ts'
import type { Database, Tx } from '../db/tx.ts'
import type { KeyRing } from '../lib/key-ring.ts'
import { inEachWorkspace, type WorkspaceUpkeep } from '../engine/each-workspace.ts'
import { every, type CalledWork, type EarlyContext, type Recurring } from '../engine/recurring.ts'
import { failedJobUpkeep } from '../engine/overview/store.ts'
import type { JobContext, JobOutcome } from '../engine/types.ts'
import { taskUpkeep } from '../modules/async-tasks/index.ts'
import { exportUpkeep } from '../modules/exports/index.ts'
import { importUpkeep } from '../modules/imports/index.ts'
import { emailUpkeep } from '../modules/emails/index.ts'
import { tendSigningKeys } from '../modules/identity/tokens/index.ts'
import { purging, workflowKinds } from '../modules/index.ts'
import { notificationUpkeep } from '../modules/notifications/index.ts'
import { attemptUpkeep, deliveryUpkeep, secretUpkeep } from '../modules/webhooks/index.ts'
import { encryptFactors } from '../modules/identity/factors/index.ts'
import { sweepSignIns } from '../modules/identity/sign-in/index.ts'
import { arrivalUpkeep, signingSecretUpkeep } from '../modules/workflows/index.ts'
import { runUpkeep } from '../modules/runs/index.ts'
import { forgetArtifacts, forgetUnusedClients } from '../modules/identity/oauth/index.ts'

/** Lets requests through between two batches. */
const pauseMs = 20

/** The time after which other nodes take the work over. A batch takes milliseconds, and may have to queue. */
const leaseMs = 10_000

const seconds = 1000
const minutes = 60 * seconds
const hours = 60 * minutes

/** One batch of work in a transaction; returns whether there is more. */
type Batch = (tx: Tx, now: number) => Promise<boolean>

/** Upkeep of what belongs to no workspace. */
const upkeep = (name: string, everyMs: number, batch: Batch): Recurring => {
  const run = ({ clock, conclude }: JobContext): Promise<JobOutcome<Record<string, never>>> =>
    conclude(async (tx) => ((await batch(tx, clock.now())) ? { state: 'again', inMs: pauseMs } : { state: 'done' }))
  return every(everyMs, { name, leaseMs, run })
}

/**
 * Upkeep of the workspaces that have something to do, one transaction after another. What is called must bear to be
 * done by several processes at once, since it runs outside a job.
 */
const ofWorkspaces = (
  name: string,
  everyMs: number,
  { due, batch }: WorkspaceUpkeep,
  called?: Pick<CalledWork, 'on' | 'gapMs'>,
): Recurring => {
  const work = ({ database, clock }: EarlyContext, workspaceId: string): Promise<boolean> =>
    database.write((tx) => batch(tx, workspaceId, clock.now()))
  const run = inEachWorkspace({ due, work })
  return called === undefined ? every(everyMs, { name, leaseMs, run }) : { name, everyMs, ...called, run }
}

/**
 * The maintenance of a database. If a commit publishes that there is work, it runs at once; the interval is for work
 * that a node left behind when it died after its commit.
 */
export const upkeepOf = ({ dialect }: Pick<Database, 'dialect'>, keys: KeyRing): Recurring[] => [
  ...(sequencesLater(dialect)
    ? [ofWorkspaces('outbox.sequence', 30 * seconds, outboxUpkeep, { on: 'outbox', gapMs: 50 })]
    : []),
  ...(foldsCounts(dialect) ? [ofWorkspaces('counts.fold', minutes, counterUpkeep, { on: 'counts', gapMs: 1000 })] : []),
  ofWorkspaces('idempotency.forget', 10 * minutes, answerUpkeep),
  ofWorkspaces('events.trim', hours, eventUpkeep),
  ofWorkspaces('workflow-runs.prune', hours, runUpkeep(workflowKinds)),
  ofWorkspaces('arrivals.forget', hours, arrivalUpkeep),
  ofWorkspaces('notifications.forget', hours, notificationUpkeep),
  ofWorkspaces('emails.forget', hours, emailUpkeep),
  ofWorkspaces('jobs.forget', 6 * hours, failedJobUpkeep),
  ofWorkspaces('webhooks.encrypt', hours, secretUpkeep(keys)),
  ofWorkspaces('workflows.encrypt', hours, signingSecretUpkeep(keys)),
  ofWorkspaces('webhooks.trim-attempts', hours, attemptUpkeep),
  ofWorkspaces('webhooks.trim-deliveries', hours, deliveryUpkeep),
  ofWorkspaces('async-tasks.sweep', hours, taskUpkeep),
  ofWorkspaces('imports.forget', hours, importUpkeep),
  ofWorkspaces('exports.forget', hours, exportUpkeep),
  ofWorkspaces('records.purge', hours, {
    due: purging.due,
    batch: async (tx, workspaceId, now) => (await purging.batch(tx, workspaceId, now)).more,
  }),
  upkeep('sign-ins.sweep', hours, sweepSignIns),
  upkeep('second-factors.encrypt', hours, encryptFactors(keys)),
  upkeep('oauth.forget', 10 * minutes, forgetArtifacts),
  upkeep('oauth.forget-apps', hours, forgetUnusedClients),
  upkeep('signing-keys.tend', hours, tendSigningKeys),
]
