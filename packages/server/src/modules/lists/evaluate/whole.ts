import { z } from 'zod'
import { gatherStatistics } from '../../../db/statistics.ts'
import type { Tx } from '../../../db/tx.ts'
import { enqueue } from '../../../engine/store.ts'
import type { JobContext, JobKind, JobOutcome, JobType } from '../../../engine/types.ts'
import { Failure } from '../../../kernel/errors.ts'
import { StaleSchema } from '../../../kernel/invoke/schema-check.ts'
import { findPosition } from '../../events/index.ts'
import { findList, lockList, updateList, type ListRow } from '../store.ts'
import { consumerName, listJoining, listLeaving } from './store.ts'
import { ListChanged, settle, type EvaluationServices } from './settle.ts'
import { dependsOnTime, subjectOf, type Subject } from './subject.ts'

const payload = z.object({
  list: z.string(),
  /**
   * True if the planner was told what is in the tables that are read; else it may read all rows for each
   * record.
   */
  is_sampled: z.boolean().default(false),
  /** The last event that the list had followed when this became necessary; unknown to jobs of earlier versions. */
  since: z.int().optional(),
})

type Payload = z.infer<typeof payload>

const evaluationType: JobType<Payload> = { name: 'lists.evaluate', payload }

/**
 * Enqueues the evaluation of a whole list, in the transaction that makes it necessary; several requests are served by
 * one evaluation.
 */
export async function enqueueEvaluation(tx: Tx, workspaceId: string, list: string, now: number): Promise<void> {
  const since = await findPosition(tx, workspaceId, consumerName)
  await enqueue(tx, { workspaceId, kind: evaluationType, payload: { list, is_sampled: false, since }, now, key: list })
}

/** Most differences that one query finds: each is compared again in its completion batch. */
const foundAtOnce = 5000

/** The tables that are read for each record; a list has just begun, and its records may just have been imported. */
const sampled = ['list_entry', 'record'] as const

/** Most changes among which the causes of moves are sought, the newest of them. */
const changesMax = 5000

/** Longest run, so that other jobs get their share. */
const runMs = 2000

/** Interval at which lists that depend on time are evaluated. */
const timedMs = 3_600_000

const lookAgainMs = 20

/**
 * Evaluates a whole dynamic list, and lets records join and leave it: when it is published, and when its query or the
 * schemas change.
 */
export const evaluateList = (services: EvaluationServices): JobKind<Payload> => ({
  ...evaluationType,
  maxAttempts: Infinity,
  async run(context, given) {
    try {
      return await evaluate(context, services, given)
    } catch (error) {
      if (error instanceof StaleSchema || error instanceof ListChanged) return { state: 'again', inMs: lookAgainMs }
      throw error
    }
  },
})

async function evaluate(
  context: JobContext,
  services: EvaluationServices,
  { list, is_sampled: wasSampled, since }: Payload,
): Promise<JobOutcome<Payload>> {
  const { database, clock, workspaceId, signal } = context
  const row = await findList(database.reader, workspaceId, list)
  if (row === undefined || row.state !== 'published' || row.type !== 'dynamic') return { state: 'done' }
  const subject = await findSubject(context, services, row)
  if (subject === undefined) return { state: 'done' }
  // Up to here the next evaluation need not go back: later changes are followed, or have it run again.
  const followed = await findPosition(database.reader, workspaceId, consumerName)
  const changes = since === undefined ? undefined : { after: since, rowsMax: changesMax, isWhole: true }
  let isSampled = wasSampled
  for (const until = performance.now() + runMs; !signal.aborted && performance.now() < until;) {
    const [joining, leaving] = await Promise.all([
      listJoining(database.reader, subject, foundAtOnce),
      listLeaving(database.reader, subject, foundAtOnce),
    ])
    await settle(database, services, subject, [...new Set([...joining, ...leaving])], changes, clock.now)
    // Later writes are followed by the log: repeating until no difference is left might never end while writes
    // continue.
    if (Math.max(joining.length, leaving.length) < foundAtOnce)
      return conclude(context, subject, { list, is_sampled: isSampled, since: followed })
    if (isSampled) continue
    for (const table of sampled) await gatherStatistics(database, table, workspaceId)
    isSampled = true
  }
  return { state: 'again', inMs: 0, payload: { list, is_sampled: isSampled, since } }
}

/** The subject of a list; if its query does not fit the schemas, the list is marked. */
async function findSubject(
  { database, clock, workspaceId }: JobContext,
  { schemaSets }: EvaluationServices,
  row: ListRow,
): Promise<Subject | undefined> {
  try {
    return await subjectOf(database.reader, schemaSets, { workspaceId, now: clock.now() }, row)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    await database.write(async (tx) => {
      // If a field was renamed meanwhile, the query was renamed too.
      if ((await lockList(tx, workspaceId, row.id, 'change'))?.query_version_id !== row.query_version_id)
        throw new ListChanged()
      await updateList(tx, workspaceId, row.id, { evaluation_status: 'error' })
    })
    return undefined
  }
}

function conclude(
  { conclude: end, clock, workspaceId }: JobContext,
  { row }: Subject,
  next: Payload,
): Promise<JobOutcome<Payload>> {
  return end(async (tx) => {
    const current = await lockList(tx, workspaceId, row.id, 'change')
    if (current?.state !== 'published') return { state: 'done' as const }
    if (current.query_version_id !== row.query_version_id) return { state: 'again' as const, inMs: 0 }
    await updateList(tx, workspaceId, row.id, {
      evaluation_status: 'idle',
      evaluated_at: clock.now(),
      applied_version_id: row.query_version_id,
    })
    return dependsOnTime(row) ? { state: 'again' as const, inMs: timedMs, payload: next } : { state: 'done' as const }
  })
}
