import type { EarlyContext } from '../../../engine/recurring.ts'
import { Failure } from '../../../kernel/errors.ts'
import { StaleSchema } from '../../../kernel/invoke/schema-check.ts'
import type { EventConsumer, EventSubject } from '../../events/index.ts'
import { defined } from '../../../lib/guards.ts'
import type { ListRow } from '../store.ts'
import { candidatesOf, FollowedChanges, type Since } from './causes.ts'
import { consumerName, listFollowing } from './store.ts'
import { differing, ListChanged, noteEvaluation, settle, type EvaluationServices } from './settle.ts'
import { subjectOf } from './subject.ts'
import { enqueueEvaluation } from './whole.ts'

/** Changes behind those that are followed which are looked through for causes. */
const behindMax = 500

/**
 * Follows the log of each workspace that has dynamic lists, and lets the changed records join or leave these lists. To
 * settle a list twice, by two processes or after a crash, has the same result.
 */
export const followChanges = (services: EvaluationServices): EventConsumer<EventSubject> => ({
  name: consumerName,
  async prepare(context, workspaceId, changes) {
    const { database, signal } = context
    const changed = new FollowedChanges(database.reader, workspaceId, changes)
    const since = sinceOf(changes)
    const seesOtherwise = sightsChangedBy(changes)
    for (const row of changed.isEmpty ? [] : await listFollowing(database.reader, workspaceId)) {
      signal.throwIfAborted()
      if (seesOtherwise(row)) await evaluateAnew(context, workspaceId, row)
      else await followOne(context, services, workspaceId, row, changed, since)
    }
    return { write: async () => undefined }
  },
})

/** The changes that are followed together, and those behind them: records are compared as they are by now. */
const sinceOf = (changes: readonly EventSubject[]): Since => ({
  after: defined(changes[0]).sequence - 1,
  until: defined(changes.at(-1)).sequence + behindMax,
  rowsMax: changes.length + behindMax,
  isWhole: false,
})

/** Tells whether a change is a grant on a whole object, which is in the feed of its schema. */
const isOfObject = ({ type, object }: EventSubject): boolean => object === 'schema' && type.startsWith('access.')

/**
 * Tells whether the owner of a list may see other records after some changes, by their role in the workspace or by
 * grants on objects.
 */
function sightsChangedBy(changes: readonly EventSubject[]): (row: ListRow) => boolean {
  const members = new Set(
    changes
      .filter(({ type, object }) => object === 'user' && type.startsWith('member.'))
      .map(({ record_id }) => record_id),
  )
  return changes.some(isOfObject) ? () => true : ({ owner_id }) => owner_id !== null && members.has(owner_id)
}

const evaluateAnew = ({ database, clock }: EarlyContext, workspaceId: string, row: ListRow): Promise<void> =>
  database.write((tx) => enqueueEvaluation(tx, workspaceId, row.id, clock.now()))

async function followOne(
  context: EarlyContext,
  services: EvaluationServices,
  workspaceId: string,
  row: ListRow,
  changed: FollowedChanges,
  since: Since,
): Promise<void> {
  const { database, clock, logger } = context
  const whole = () => evaluateAnew(context, workspaceId, row)
  try {
    const subject = await subjectOf(database.reader, services.schemaSets, { workspaceId, now: clock.now() }, row)
    if (subject === undefined) return
    const candidates = await candidatesOf(database.reader, subject, changed)
    if (candidates?.length === 0) return
    // With a limit, a record that joins pushes another out.
    if (candidates === undefined || subject.query.limit !== undefined) return await whole()
    const ids = await differing(database.reader, subject, candidates)
    await settle(database, services, subject, ids, since, clock.now)
    await noteEvaluation(database, subject, clock.now())
  } catch (error) {
    // A failing list does not hold up the others. Its whole evaluation finds the cause, and marks the list if its query
    // is broken.
    if (!isExpected(error))
      logger.warn({ err: error, list: row.id }, 'a list is evaluated as a whole, since its changes cannot be followed')
    await whole()
  }
}

const isExpected = (error: unknown): boolean =>
  error instanceof ListChanged || error instanceof StaleSchema || error instanceof Failure
