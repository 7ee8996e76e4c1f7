import { setTimeout as sleep } from 'node:timers/promises'
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import type { Figure } from '../../db/tx.ts'
import type { Call } from '../../kernel/calls.ts'
import type { RateLimiter } from '../../kernel/rate-limit.ts'
import type { Admission } from '../admission.ts'
import type { Backlog } from './backlog.ts'
import { durations } from './durations.ts'
import { withoutEmptyLag } from './event-loop.ts'
import {
  measureTools,
  type DescribedMetric,
  type Meters,
  type MetricSample,
  type MetricSamples,
  type ToolTallies,
} from './tools.ts'
import packageJson from '../../../package.json' with { type: 'json' }

/** Sources of `/metrics`. Everything is counted where it happens, and read on request. */
export type MetricSources = {
  readonly calls: readonly Call[]
  readonly admission: Admission
  readonly rateLimiter: RateLimiter | undefined
  readonly database: { readonly dialect: { readonly name: string }; readonly figures: readonly Figure[] }
  readonly pool: PoolFigures
  /** Asks the database. */
  readonly backlog: () => Promise<Backlog>
  /** Answers by status. */
  readonly answers: ReadonlyMap<number, number>
  /** The number of clients that follow events in this process. */
  readonly followers: () => number
  /** Outcomes of the jobs of this process, by kind. */
  readonly jobCounts: JobCounts
  /** Calls of the tools of the MCP server. */
  readonly toolUsage: ToolTallies
  /** The number of unhandled rejections. */
  readonly unhandled: () => number
}

/** The pool of processes for work on untrusted input. */
type PoolFigures = {
  readonly waiting: number
  readonly running: number
  readonly parked: number
  readonly processes: number
  /** Tasks that failed because of their input, by code. */
  readonly failures: ReadonlyMap<string, number>
}

/** Runs of jobs that a process has begun, and those that failed, by the kind of the job. */
type JobCounts = { readonly runs: ReadonlyMap<string, number>; readonly failures: ReadonlyMap<string, number> }

/**
 * A registry for one app. Labels are names of operations, statuses and the like: few, known beforehand, and nothing of
 * a workspace or its data.
 */
export function createRegistry(sources: MetricSources): Registry {
  const registry = new Registry()
  const meters: Meters = {
    counter: (described, samples) => register(Counter, registry, described, samples),
    gauge: (described, samples) => register(Gauge, registry, described, samples),
  }
  registry.registerMetric(
    durations(
      {
        name: 'kontor_call_duration_seconds',
        help: 'Calls by operation, surface and status, with their duration; each call of a batch by itself.',
      },
      sources.calls,
    ),
  )
  measureRequests(meters, sources)
  measureDatabase(meters, sources)
  measurePool(meters, sources)
  measureTools(meters, sources.toolUsage)
  measureJobs(meters, sources)
  measureBacklog(meters, sources)
  measureServer(meters, sources)
  collectDefaultMetrics({ register: registry })
  withoutEmptyLag(registry)
  return registry
}

/** Answers, the load they make, and refusals because of it. */
function measureRequests(
  { counter, gauge }: Meters,
  { answers, admission, rateLimiter, followers }: MetricSources,
): void {
  counter(
    {
      name: 'kontor_http_responses_total',
      help: 'Responses by status, rejected requests and unknown paths included; a batch is one.',
      labels: ['status'],
    },
    () => [...answers].map(([status, count]) => [{ status }, count]),
  )
  gauge(
    { name: 'kontor_event_followers', help: 'Clients that follow events; they do not count as requests in progress.' },
    () => [[{}, followers()]],
  )
  gauge({ name: 'kontor_requests_in_flight', help: 'Requests in progress.' }, () => [[{}, admission.requests]])
  gauge(
    {
      name: 'kontor_held_bytes',
      help: 'Bytes of bodies in progress and of responses that wait for their readers; small ones are not counted.',
    },
    () => [[{}, admission.heldBytes]],
  )
  counter(
    {
      name: 'kontor_overload_refusals_total',
      help: 'Requests that were refused because of overload, by reason.',
      labels: ['reason'],
    },
    () => Object.entries(admission.refusals).map(([reason, count]) => [{ reason }, count]),
  )
  counter({ name: 'kontor_rate_limited_total', help: 'Calls that were rejected by rate limits.' }, () => [
    [{}, rateLimiter?.refused ?? 0],
  ])
}

/** Statements and waiting by operation, and the figures of the database itself. */
function measureDatabase({ counter, gauge }: Meters, { calls, database }: MetricSources): void {
  const called = () => calls.filter(({ usage }) => usage.tallies().length > 0)
  counter({ name: 'kontor_database_statements_total', help: 'Statements by operation.', labels: ['operation'] }, () =>
    called().map(({ name, usage }) => [{ operation: name }, usage.statements]),
  )
  counter(
    {
      name: 'kontor_database_seconds_total',
      help: 'Waiting for the database by operation: for its writer or a connection, for statements, for commits.',
      labels: ['operation', 'phase'],
    },
    () =>
      called().flatMap(({ name: operation, usage }): MetricSample[] => [
        [{ operation, phase: 'wait' }, usage.waitMs / 1000],
        [{ operation, phase: 'statements' }, usage.statementMs / 1000],
        [{ operation, phase: 'commit' }, usage.commitMs / 1000],
      ]),
  )
  for (const { name, help, kind, read } of database.figures)
    (kind === 'counter' ? counter : gauge)({ name: `kontor_database_${name}`, help }, () => [[{}, read()]])
}

const byKind = (counts: ReadonlyMap<string, number>) => (): MetricSample[] =>
  [...counts].map(([kind, count]) => [{ kind }, count])

/** Work on untrusted input: what waits, what runs, and what was ended. */
function measurePool({ counter, gauge }: Meters, { pool }: MetricSources): void {
  gauge({ name: 'kontor_pool_waiting', help: 'Tasks on untrusted input that wait for a process.' }, () => [
    [{}, pool.waiting],
  ])
  gauge({ name: 'kontor_pool_running', help: 'Tasks on untrusted input that are running.' }, () => [[{}, pool.running]])
  gauge({ name: 'kontor_pool_parked', help: 'Tasks that wait for a response and have released their process.' }, () => [
    [{}, pool.parked],
  ])
  gauge({ name: 'kontor_pool_processes', help: 'Processes for tasks on untrusted input, idle or not.' }, () => [
    [{}, pool.processes],
  ])
  counter(
    {
      name: 'kontor_pool_failures_total',
      help: 'Tasks that failed because of their input, by code: it takes too much time or memory, or is too large.',
      labels: ['code'],
    },
    () => [...pool.failures].map(([code, count]) => [{ code }, count]),
  )
}

/** Measures the jobs that this process has run; all processes share the jobs. */
function measureJobs({ counter }: Meters, { jobCounts }: MetricSources): void {
  counter(
    { name: 'kontor_job_runs_total', help: 'Runs of jobs that began in this process, by kind.', labels: ['kind'] },
    byKind(jobCounts.runs),
  )
  counter(
    {
      name: 'kontor_job_failures_total',
      help: 'Runs that failed, by kind, including runs of other processes whose lost lease this process has found.',
      labels: ['kind'],
    },
    byKind(jobCounts.failures),
  )
}

/** Work that waits: jobs, events, field indexes. */
function measureBacklog({ gauge }: Meters, { backlog }: MetricSources): void {
  const ofBacklog = sharedBacklog(backlog)
  gauge(
    { name: 'kontor_jobs', help: 'Jobs by state.', labels: ['state'] },
    ofBacklog(({ jobs: { lagMs: _lagMs, ...states } }) =>
      Object.entries(states).map(([state, count]) => [{ state }, count]),
    ),
  )
  gauge(
    { name: 'kontor_job_lag_seconds', help: 'Time that the oldest due job has waited.' },
    ofBacklog(({ jobs }) => [[{}, jobs.lagMs / 1000]]),
  )
  gauge(
    {
      name: 'kontor_nodes_lost',
      help:
        'Nodes of a distributed database that do not respond. Of their workspaces, jobs are counted; events, ' +
        'webhooks and indexes are not.',
    },
    ofBacklog(({ nodesLost }) => [[{}, nodesLost]]),
  )
  gauge(
    { name: 'kontor_outbox_waiting', help: 'Events that have not been read yet.' },
    ofBacklog(({ outbox }) => [[{}, outbox.waiting]]),
  )
  gauge(
    { name: 'kontor_outbox_lag_seconds', help: 'Time that the oldest of these events has waited.' },
    ofBacklog(({ outbox }) => [[{}, outbox.lagMs / 1000]]),
  )
  gauge(
    {
      name: 'kontor_event_consumer_waiting',
      help: 'Events in the log that a consumer has not read yet.',
      labels: ['consumer'],
    },
    ofBacklog(({ consumers }) => consumers.map(({ consumer, events }) => [{ consumer }, events])),
  )
  gauge(
    {
      name: 'kontor_event_consumer_lag_seconds',
      help: 'Time that the oldest of these events has waited.',
      labels: ['consumer'],
    },
    ofBacklog(({ consumers }) => consumers.map(({ consumer, lagMs }) => [{ consumer }, lagMs / 1000])),
  )
  gauge(
    {
      name: 'kontor_webhooks_stopped',
      help: 'Webhooks that were disabled automatically, by reason; nothing is sent until a user enables them.',
      labels: ['reason'],
    },
    ofBacklog(({ stoppedWebhooks }) => stoppedWebhooks.map(({ reason, webhooks }) => [{ reason }, webhooks])),
  )
  gauge(
    {
      name: 'kontor_field_indexes',
      help: 'Indexes that sorting and filtering have requested, by state.',
      labels: ['state'],
    },
    ofBacklog(({ indexes }) => indexes.map(({ state, indexes: count }) => [{ state }, count])),
  )
  gauge(
    {
      name: 'kontor_field_index_records_left',
      help: 'Records that the indexes in progress have not reached yet.',
    },
    ofBacklog(({ indexes }) => [[{}, indexes.reduce((sum, { recordsLeft }) => sum + recordsLeft, 0)]]),
  )
}

/** Which server this is, and the mistakes it made. */
function measureServer({ counter, gauge }: Meters, { database, unhandled }: MetricSources): void {
  gauge({ name: 'kontor_build_info', help: 'Always 1.', labels: ['version', 'node', 'database'] }, () => [
    [{ version: packageJson.version, node: process.versions.node, database: database.dialect.name }, 1],
  ])
  counter(
    {
      name: 'kontor_unhandled_rejections_total',
      help: 'Unhandled failures: bugs of the server. It continues.',
    },
    () => [[{}, unhandled()]],
  )
}

/** A database that does not answer by then is part of what metrics are read for: all other figures come without it. */
const patienceMs = 1000

/** Asks once for all metrics of one answer; none of them has a value where the database has none to give. */
function sharedBacklog(
  ask: () => Promise<Backlog>,
): (samples: (backlog: Backlog) => readonly MetricSample[]) => MetricSamples {
  let asked: Promise<Backlog | undefined> | undefined
  const askOnce = (): Promise<Backlog | undefined> => {
    asked ??= Promise.race([ask().catch(() => undefined), sleep(patienceMs, undefined, { ref: false })]).finally(
      () => (asked = undefined),
    )
    return asked
  }
  return (samples) => async () => {
    const backlog = await askOnce()
    return backlog === undefined ? [] : samples(backlog)
  }
}

function register(
  Metric: typeof Counter | typeof Gauge,
  registry: Registry,
  { name, help, labels = [] }: DescribedMetric,
  samples: MetricSamples,
): void {
  const metric: Counter | Gauge = new Metric({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      const found = await samples()
      metric.reset()
      for (const [sample, value] of found) metric.inc(sample, value)
    },
  })
}
