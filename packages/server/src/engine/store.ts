import { limited } from '../db/expressions.ts'
import type { Knex } from 'knex'
import type { RowOf } from '../db/columns.ts'
import { param, statement } from '../db/statement.ts'
import type { Sql } from '../db/sql.ts'
import type { ReadTx, Tx } from '../db/tx.ts'
import { newId } from '../kernel/ids.ts'
import type { JobType } from './types.ts'

export type NewJob<P> = {
  /** `systemWide` for work that belongs to no workspace. */
  readonly workspaceId: string
  readonly kind: JobType<P>
  readonly payload: P
  readonly now: number
  /** At once by default. */
  readonly runAt?: number
  /**
   * At most one unfinished job for each workspace, kind and key, so the key stands for the payload. Enqueuing again
   * moves a waiting job forward, never back; a running job runs again. The row stays locked until the commit, so this
   * is not for keys that many callers enqueue at once.
   */
  readonly key?: string
}

/** A new job, whose members may be undefined. */
type WantedJob<P> = Omit<NewJob<P>, 'runAt' | 'key'> & {
  readonly runAt?: number | undefined
  readonly key?: string | undefined
}

type KeyedRow = Pick<RowOf<'job'>, 'id' | 'run_at' | 'wanted_at' | 'leased_by' | 'failures'>

const rowOf = <P>({ workspaceId, kind, payload, now, runAt = now, key }: WantedJob<P>) => ({
  workspace_id: workspaceId,
  id: newId(now),
  kind: kind.name,
  job_key: key ?? null,
  payload: kind.payload.parse(payload),
  run_at: runAt,
  scheduled_at: now,
  attempt: 0,
  failures: 0,
  losses: 0,
  created_at: now,
})

/** Adds jobs whose keys, if they have any, no job can have yet: those of what is created with them. */
export async function enqueueNew<P>(tx: Tx, jobs: readonly NewJob<P>[]): Promise<void> {
  if (jobs.length === 0) return
  tx.publish('jobs')
  await tx.insert('job', jobs.map(rowOf))
}

/** Adds a job in the transaction of the change that causes it. */
export async function enqueue<P>(
  tx: Tx,
  { workspaceId, kind, payload, now, runAt = now, key }: NewJob<P>,
): Promise<void> {
  tx.publish('jobs')
  const row = rowOf({ workspaceId, kind, payload, now, runAt, key })
  // The job with the key may end between the two statements.
  while ((await tx.insertNew('job', [row], ['id'])).length === 0) {
    if (
      key === undefined ||
      (await hasten(tx, { workspace_id: workspaceId, kind: kind.name, job_key: key }, runAt, now))
    )
      return
  }
}

/** Adds jobs with keys, many at once; those that are there already run now, as with `enqueue`. */
export async function enqueueKeyed<P>(
  tx: Tx,
  { workspaceId, kind, now }: Pick<NewJob<P>, 'workspaceId' | 'kind' | 'now'>,
  payloads: ReadonlyMap<string, P>,
): Promise<void> {
  const of = { workspace_id: workspaceId, kind: kind.name }
  if (payloads.size > 0) tx.publish('jobs')
  // A job may end, or another come, between the two statements.
  for (let left = [...payloads]; left.length > 0;) {
    const there = await hastenAll(
      tx,
      of,
      left.map(([key]) => key),
      now,
    )
    const rows = left
      .filter(([key]) => !there.has(key))
      .map(([key, payload]) => rowOf({ workspaceId, kind, payload, now, key }))
    const added = new Set((await tx.insertNew('job', rows, ['job_key'])).map(({ job_key }) => job_key))
    left = left.filter(([key]) => !there.has(key) && !added.has(key))
  }
}

/** Lets jobs run now that wait under these keys; those that are there no more are passed over. */
export async function wake<P>(
  tx: Tx,
  { workspaceId, kind, keys, now }: { workspaceId: string; kind: JobType<P>; keys: readonly string[]; now: number },
): Promise<void> {
  if (keys.length === 0) return
  tx.publish('jobs')
  await hastenAll(tx, { workspace_id: workspaceId, kind: kind.name }, keys, now)
}

type Keyed = Pick<RowOf<'job'>, 'workspace_id' | 'kind'> & { readonly job_key: string }

const ofKey = (knex: Knex): Knex.QueryBuilder =>
  knex('job')
    .where({ workspace_id: param('workspace_id'), kind: param('kind'), job_key: param('job_key') })
    .whereNull('ended_at')

const keyedColumns = ['id', 'run_at', 'wanted_at', 'leased_by', 'failures'] as const satisfies (keyof KeyedRow)[]

const keyed = (knex: Knex): Knex.QueryBuilder => ofKey(knex).select(...keyedColumns)

const removeKeyed = statement<Keyed, never>(({ knex }) => ofKey(knex).delete())

/** Removes the unfinished job with a key; a run of it that is under way changes nothing any more. */
export async function dequeue<P>(
  tx: Tx,
  { workspaceId, kind, key }: { readonly workspaceId: string; readonly kind: JobType<P>; readonly key: string },
): Promise<void> {
  await tx.run(removeKeyed, { workspace_id: workspaceId, kind: kind.name, job_key: key })
}

/**
 * The unfinished job with a key. It is locked even if nothing changes: it may not run before this transaction's changes
 * are visible.
 */
export const findKeyed = statement<Keyed, KeyedRow>(({ knex, dialect }) => dialect.locked(keyed(knex), 'change'))

const peekKeyed = statement<Keyed, KeyedRow>(({ knex }) => keyed(knex))

/**
 * Returns whether a job with a key will run, or run again, after this moment, or is delayed after failures. A caller
 * that has already committed need not enqueue it then. Many callers may check at once, while enqueuing would lock the
 * row.
 */
export async function isAwaited(tx: ReadTx, key: Keyed, now: number): Promise<boolean> {
  const found = await tx.first(peekKeyed, key)
  if (found === undefined) return false
  return found.leased_by === null ? found.failures > 0 || found.run_at <= now : (found.wanted_at ?? Infinity) <= now
}

/** Returns whether the job with a key is being run. */
export const isUnderWay = async (tx: ReadTx, key: Keyed): Promise<boolean> =>
  typeof (await tx.first(peekKeyed, key))?.leased_by === 'string'

/** Moves the job with the key forward to an instant, unless it is delayed after failures; false if there is none. */
async function hasten(tx: Tx, key: Keyed, runAt: number, now: number): Promise<boolean> {
  const found = await tx.first(findKeyed, key)
  if (found !== undefined) await moveForward(tx, key.workspace_id, [found], runAt, now)
  return found !== undefined
}

/** Does so with the jobs of many keys, and returns the keys of those that are there. */
async function hastenAll(
  tx: Tx,
  of: Pick<Keyed, 'workspace_id' | 'kind'>,
  keys: readonly string[],
  now: number,
): Promise<ReadonlySet<string>> {
  const found = await tx.query<KeyedRow & Pick<Keyed, 'job_key'>>(({ knex, dialect }) =>
    dialect.locked(
      knex('job')
        .select('job_key', ...keyedColumns)
        .where(of)
        .where(dialect.oneOf('job_key', keys, 'text'))
        .whereNull('ended_at')
        .orderBy('id'),
      'change',
    ),
  )
  await moveForward(tx, of.workspace_id, found, now, now)
  return new Set(found.map(({ job_key }) => job_key))
}

/** Moves jobs forward that are locked: a running one runs again. */
async function moveForward(
  tx: Tx,
  workspaceId: string,
  found: readonly KeyedRow[],
  runAt: number,
  now: number,
): Promise<void> {
  const move = (jobs: readonly Partial<RowOf<'job'>>[]) =>
    tx.updateByKey(
      'job',
      ['workspace_id', 'id'],
      jobs.map((job) => ({ ...job, workspace_id: workspaceId, scheduled_at: now })),
    )
  const [waits, runs] = [found.filter((one) => one.leased_by === null), found.filter((one) => one.leased_by !== null)]
  await move(runs.map(({ id, wanted_at }) => ({ id, wanted_at: Math.min(runAt, wanted_at ?? runAt) })))
  await move(
    waits.flatMap(({ id, failures, run_at }) => (failures === 0 && runAt < run_at ? [{ id, run_at: runAt }] : [])),
  )
}

export type ClaimedJob = {
  readonly workspace_id: string
  readonly id: string
  readonly kind: string
  readonly job_key: string | null
  readonly payload: unknown
  readonly attempt: number
  readonly failures: number
  /** 1 once a process was lost with the current work of the job; `begunAgain` while it is at that work again. */
  readonly losses: number
}

/** A job that is due, or one that is leased, which says that there are such. */
export type DueJob = { readonly workspace_id: string; readonly run_at: number; readonly leased_by: string | null }
export type LeasedJob = Omit<ClaimedJob, 'payload'> & {
  readonly leased_at: number
  readonly leased_by: string
  /** For how long processes have noted that they saw the lease stand. */
  readonly watched_ms: number | null
}

/** Jobs that no runner has leased, due or not. */
export const waiting = (knex: Knex): Knex.QueryBuilder => knex('job').whereNull('ended_at').whereNull('leased_by')

/** The number of due jobs that are read; if there are more, they are queried workspace by workspace. */
export const dueMax = 256

/**
 * The queries of a runner, which sees only the kinds of jobs that it knows: nodes of two versions may run side by side.
 */
export function jobsOf(kinds: readonly string[]) {
  const known = ({ dialect }: Sql): Knex.Raw => dialect.oneOf('kind', kinds, 'text')
  return {
    /** The first jobs that are due by an instant, and one that is leased: all that an idle runner asks. */
    listDue: statement<{ until: number }, DueJob>((sql) => {
      const { knex } = sql
      const columns = ['workspace_id', 'run_at', 'leased_by']
      const due = waiting(knex)
        .select(columns)
        .where(known(sql))
        .where('run_at', '<=', param('until'))
        .orderBy('run_at')
        .limit(dueMax)
      const leased = knex('job').select(columns).whereNotNull('leased_by').where(known(sql)).limit(1)
      return knex
        .select(columns)
        .from(due.as('due'))
        .unionAll(knex.select(columns).from(leased.as('leased')))
    }),
    /** Claims the jobs of one workspace that have waited longest. */
    claim: statement<
      { workspace_id: string; now: number; jobs: number; leased_by: string; leased_at: number },
      ClaimedJob
    >((sql) => {
      const { knex, dialect } = sql
      const due = waiting(knex)
        .select('id')
        .where({ workspace_id: param('workspace_id') })
        .where('run_at', '<=', param('now'))
        .where(known(sql))
        .orderBy(['run_at', 'id'])
      return (
        knex('job')
          // A separate CTE, so that Postgres cannot run it more than once and lock more rows than it may.
          .with('due', limited(sql, dialect.locked(due, 'claim'), param('jobs')))
          .where({ workspace_id: param('workspace_id') })
          .whereIn('id', knex('due').select('id'))
          .update({ leased_by: param('leased_by'), leased_at: param('leased_at'), watched_ms: null })
          .increment('attempt', 1)
          .returning(['workspace_id', 'id', 'kind', 'job_key', 'payload', 'attempt', 'failures', 'losses'])
      )
    }),
    /** All leased jobs, on every node: a few for each. */
    listLeased: statement<Record<string, never>, LeasedJob>((sql) =>
      sql
        .knex('job')
        .select('workspace_id', 'id', 'kind', 'job_key', 'attempt', 'failures', 'losses')
        .select('leased_at', 'leased_by', 'watched_ms')
        .whereNotNull('leased_by')
        .where(known(sql)),
    ),
  }
}

export type JobQueries = ReturnType<typeof jobsOf>

/** Every workspace with due jobs, found by one index lookup for each workspace that has any job. */
export const listDueWorkspaces = statement<{ now: number }, { workspace_id: string }>(({ knex }) => {
  const first = () => waiting(knex).select('workspace_id').orderBy('workspace_id').limit(1)
  const next = first().where('workspace_id', '>', knex.ref('turn.workspace_id')).as('workspace_id')
  return knex
    .withRecursive('turn', ['workspace_id'], (query) =>
      query
        .select('workspace_id')
        .from(first().as('first'))
        .unionAll((more) => void more.select(next).from('turn').whereNotNull('turn.workspace_id')),
    )
    .select('workspace_id')
    .from('turn')
    .whereNotNull('turn.workspace_id')
    .whereExists(
      waiting(knex).where('job.workspace_id', knex.ref('turn.workspace_id')).where('run_at', '<=', param('now')),
    )
})

type Scheduled = {
  readonly workspace_id: string
  readonly id: string
  readonly run_at: number
  readonly scheduled_at: number
}

const listScheduledAfter = statement<{ instant: number }, Scheduled>(({ knex, dialect }) =>
  dialect.locked(
    waiting(knex)
      .select('workspace_id', 'id', 'run_at', 'scheduled_at')
      .where('scheduled_at', '>', param('instant'))
      .limit(dueMax),
    'claim',
  ),
)

/** More than the clocks of several nodes differ by. */
const skewMs = 5000

/**
 * Reschedules jobs after the clock was set back, which are those scheduled later than now: each waits as long as
 * originally meant, counted from now. Returns their number, at most `dueMax`.
 */
export async function followClock(tx: Tx, now: number): Promise<number> {
  const rows = await tx.all(listScheduledAfter, { instant: now + skewMs })
  if (rows.length > 0) tx.publish('jobs')
  const moved = rows.map(({ run_at, scheduled_at, ...key }) => ({
    ...key,
    run_at: now + (run_at - scheduled_at),
    scheduled_at: now,
  }))
  await tx.updateByKey('job', ['workspace_id', 'id'], moved)
  return rows.length
}

const newestSchedule = statement<Record<string, never>, { scheduled_at: number }>(({ knex }) =>
  waiting(knex).select('scheduled_at').orderBy('scheduled_at', 'desc').limit(1),
)

/** Returns whether a job was scheduled later than now: the clock was set back. */
export const wasSetBack = async (tx: ReadTx, now: number): Promise<boolean> =>
  ((await tx.first(newestSchedule, {}))?.scheduled_at ?? 0) > now + skewMs
