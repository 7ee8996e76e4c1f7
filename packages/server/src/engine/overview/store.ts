import type { Knex } from 'knex'
import type { Database, ReadTx, Tx } from '../../db/tx.ts'
import { expiredRows } from '../expired-rows/store.ts'
import { findKeyed, waiting } from '../store.ts'

export type JobFacts = {
  /** Due, and not started. */
  readonly waiting: number
  /** Due later. */
  readonly scheduled: number
  readonly running: number
  readonly failed: number
  /** The time for which the oldest due job has waited. */
  readonly lagMs: number
}

/** Job statistics for metrics and for `kontor doctor`. */
export async function jobFacts({ reader }: Pick<Database, 'reader'>, now: number): Promise<JobFacts> {
  const count = async (build: (knex: Knex) => Knex.QueryBuilder) => {
    const [counted] = await reader.query<{ jobs: number; oldest: number | null }>(({ knex }) =>
      build(knex).count('* as jobs').min('run_at as oldest'),
    )
    return counted ?? { jobs: 0, oldest: null }
  }
  const [due, scheduled, running, failed] = await Promise.all([
    count((knex) => waiting(knex).where('run_at', '<=', now)),
    count((knex) => waiting(knex).where('run_at', '>', now)),
    count((knex) => knex('job').whereNotNull('leased_by')),
    count((knex) => knex('job').whereNotNull('ended_at')),
  ])
  return {
    waiting: due.jobs,
    scheduled: scheduled.jobs,
    running: running.jobs,
    failed: failed.jobs,
    lagMs: now - (due.oldest ?? now),
  }
}

/** A kind of job that fails. */
export type FailingKind = {
  readonly kind: string
  /** Jobs that will be tried again. */
  readonly retrying: number
  /** Jobs that have failed for good, in the days for which those are kept. */
  readonly failed: number
  /** The error of one of them. */
  readonly error: string
}

/** The kinds of jobs of which some fail, those that fail most first. */
export const listFailing = ({ reader }: Pick<Database, 'reader'>): Promise<FailingKind[]> =>
  reader.query(
    (sql) =>
      sql`select kind, sum(case when ended_at is null then 1 else 0 end) as retrying,
          sum(case when ended_at is null then 0 else 1 end) as failed, max(last_error) as error from job
        where failures > 0 group by kind order by count(*) desc, kind`,
  )

export type FailedJob = {
  readonly workspace_id: string
  readonly id: string
  readonly kind: string
  readonly job_key: string | null
  readonly failures: number
  readonly last_error: string
  readonly ended_at: number
}

/** The jobs that failed last, newest first, of all failed jobs or of those with certain ids. */
export const listFailed = (tx: ReadTx, jobsMax: number, ids: readonly string[] | 'all' = 'all'): Promise<FailedJob[]> =>
  tx.query(({ knex, dialect }) => {
    const failed = knex('job')
      .select('workspace_id', 'id', 'kind', 'job_key', 'failures', 'last_error', 'ended_at')
      .whereNotNull('ended_at')
      .orderBy('ended_at', 'desc')
      .limit(jobsMax)
    return ids === 'all' ? failed : failed.where(dialect.oneOf('id', ids))
  })

/** Runs failed jobs again with all their attempts; skips those that another job with the same key has replaced. */
export async function retryFailed(tx: Tx, jobs: readonly FailedJob[], now: number): Promise<FailedJob[]> {
  tx.publish('jobs')
  const retried: FailedJob[] = []
  for (const job of jobs) {
    const { workspace_id, id, kind, job_key } = job
    if (job_key !== null && (await tx.first(findKeyed, { workspace_id, kind, job_key })) !== undefined) continue
    await tx.updateByKey(
      'job',
      ['workspace_id', 'id'],
      [{ workspace_id, id, ended_at: null, failures: 0, losses: 0, run_at: now, scheduled_at: now }],
    )
    retried.push(job)
  }
  return retried
}

/** The time for which a failed job can be inspected and retried. */
const failedKeptMs = 30 * 24 * 3_600_000

/** Deletes jobs that failed long ago. */
export const failedJobUpkeep = expiredRows('job', {
  key: ['workspace_id', 'id'],
  expired: (rows, now) => rows.where('ended_at', '<', now - failedKeptMs),
  oldestBy: 'ended_at',
  batchMax: 200,
})
