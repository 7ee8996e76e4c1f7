import type { ReadTx } from '../../../db/tx.ts'
import { inEachWorkspace } from '../../../engine/each-workspace.ts'
import { every, type Recurring } from '../../../engine/recurring.ts'
import type { JobContext } from '../../../engine/types.ts'
import { Failure } from '../../../kernel/errors.ts'
import { StaleSchema } from '../../../kernel/invoke/schema-check.ts'
import { listBehind, listUnreadSubjects, moveCursor, topicOf, type EventSubject } from '../../events/index.ts'
import type { ListRow } from '../store.ts'
import { candidatesOf, FollowedChanges, type Since } from './causes.ts'
import { consumerName, listFollowing } from './store.ts'
import { differing, ListChanged, noteEvaluation, settle, type EvaluationServices } from './settle.ts'
import { subjectOf } from './subject.ts'
import { enqueueEvaluation } from './whole.ts'

/**
 * Interval of the fallback: a commit normally triggers following at once; this covers what a node left behind that died
 * right after its commit.
 */
const everyMs = 30_000

/** Changes closer together than this are followed together. */
const gapMs = 200

const eventsAtOnce = 500

const due = (reader: ReadTx): Promise<string[]> => listBehind(reader, consumerName)

/** Follows the log of each workspace that has dynamic lists, and lets the changed records join or leave these lists. */
export const followChanges = (services: EvaluationServices): Recurring =>
  every(
    everyMs,
    {
      name: 'lists.follow',
      run: inEachWorkspace({ due, work: (context, workspaceId) => follow(context, services, workspaceId) }),
    },
    {
      on: topicOf(consumerName),
      gapMs,
      isDue: async ({ database }) => (await due(database.reader)).length > 0,
    },
  )

/** Follows some changes of a workspace; returns whether there may be more. */
async function follow(context: JobContext, services: EvaluationServices, workspaceId: string): Promise<boolean> {
  const { database } = context
  const changes = await listUnreadSubjects(database.reader, workspaceId, consumerName, eventsAtOnce)
  const [first, last] = [changes[0], changes.at(-1)]
  if (first === undefined || last === undefined) return false
  const changed = new FollowedChanges(database.reader, workspaceId, changes)
  const since = sinceOf(first, last)
  const seesOtherwise = sightsChangedBy(changes)
  for (const row of changed.isEmpty ? [] : await listFollowing(database.reader, workspaceId)) {
    if (seesOtherwise(row)) await evaluateAnew(context, workspaceId, row)
    else await followOne(context, services, workspaceId, row, changed, since)
  }
  // Stored at the end: a run that starts again from the old position has the same result.
  await database.write((tx) => moveCursor(tx, workspaceId, consumerName, { from: last.reached, to: last.sequence }))
  return changes.length === eventsAtOnce
}

/** The changes that are followed together, and those behind them: records are compared as they are by now. */
const sinceOf = (first: EventSubject, last: EventSubject): Since => ({
  after: first.sequence - 1,
  until: last.sequence + eventsAtOnce,
  rowsMax: 2 * eventsAtOnce,
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

const evaluateAnew = ({ database, clock }: JobContext, workspaceId: string, row: ListRow): Promise<void> =>
  database.write((tx) => enqueueEvaluation(tx, workspaceId, row.id, clock.now()))

async function followOne(
  context: JobContext,
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
