import { listSlugs } from '../modules/workspaces/index.ts'
import { cursorLags, outboxFacts, type ConsumerFacts } from '../modules/events/index.ts'
import { listStopped, type StoppedWebhook } from '../modules/webhooks/index.ts'
import type { Database, ReadTx } from '../db/tx.ts'
import {
  jobFacts,
  listFailed,
  listFailing,
  retryFailed,
  type FailedJob,
  type FailingKind,
  type JobFacts,
} from '../engine/overview/store.ts'
import { isoTime, type Clock } from '../kernel/clock.ts'

export type ListedJob = {
  readonly id: string
  readonly kind: string
  /** Its slug; null if the job belongs to no workspace. */
  readonly workspace: string | null
  /** Failed attempts. */
  readonly failures: number
  readonly last_error: string
  readonly failed_at: string
}

export type JobList = JobFacts & {
  /** Events without a sequence number. */
  readonly events: { readonly waiting: number; readonly lagMs: number }
  /** Nodes of a distributed database that did not answer; the events of their workspaces are not counted. */
  readonly nodes_lost: number
  /** The last jobs that failed for good, newest first. */
  readonly failures: readonly ListedJob[]
}

const shownMax = 100

async function present(tx: ReadTx, jobs: readonly FailedJob[]): Promise<ListedJob[]> {
  const ids = [...new Set(jobs.map(({ workspace_id }) => workspace_id))]
  const slugs = await listSlugs(tx, ids)
  return jobs.map(({ workspace_id, id, kind, failures, last_error, ended_at }) => ({
    id,
    kind,
    workspace: slugs.get(workspace_id) ?? null,
    failures,
    last_error,
    failed_at: isoTime(ended_at),
  }))
}

/** All that goes on by itself, as the operator sees it. */
export type Background = JobList & {
  readonly failing: readonly FailingKind[]
  readonly consumers: readonly ConsumerFacts[]
  /** Those that stopped by themselves, the latest first. */
  readonly stoppedWebhooks: readonly StoppedWebhook[]
}

type Deps = { readonly database: Database; readonly clock: Clock }

/** Job statistics, and the failed jobs. */
export async function listJobs({ database, clock }: Deps): Promise<JobList> {
  const now = clock.now()
  const [facts, events, failed] = await Promise.all([
    jobFacts(database, now),
    outboxFacts(database, now),
    listFailed(database.reader, shownMax),
  ])
  const failures = await present(database.reader, failed)
  return { ...facts, events, nodes_lost: database.reader.nodesLost, failures }
}

/** Job statistics, and what is late, fails or has stopped. */
export async function listBackground(deps: Deps): Promise<Background> {
  const { database, clock } = deps
  const [jobs, failing, consumers, stoppedWebhooks] = await Promise.all([
    listJobs(deps),
    listFailing(database),
    cursorLags(database, clock.now()),
    listStopped(database, shownMax),
  ])
  return { ...jobs, failing, consumers, stoppedWebhooks }
}

/**
 * Runs failed jobs again, by their ids or all; returns those that will run, without those that another job with the
 * same key has replaced.
 */
export const retryJobs = ({ database, clock }: Deps, ids: readonly string[] | 'all'): Promise<ListedJob[]> =>
  database.write(async (tx) => present(tx, await retryFailed(tx, await listFailed(tx, shownMax, ids), clock.now())))
