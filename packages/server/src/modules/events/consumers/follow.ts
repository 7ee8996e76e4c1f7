import { readFitting } from '../../../db/row-bytes.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { inEachWorkspace } from '../../../engine/each-workspace.ts'
import type { CalledWork, EarlyContext } from '../../../engine/recurring.ts'
import { defined } from '../../../lib/guards.ts'
import type { LoggedEvent } from '../logged-event.ts'
import { topicOf } from '../outbox/store.ts'
import { listBehind, listUnread, listUnreadSubjects, moveCursor, type EventSubject, type Unread } from './store.ts'

/**
 * Follows the log of each workspace in which it was started (`startFollowing`): it gets every event once and in order,
 * however many processes there are and whenever one of them dies.
 */
export type EventConsumer<E = LoggedEvent> = {
  /** Names its cursors. */
  readonly name: string
  /**
   * Reads what the events need, outside of a transaction. The `write` that it returns runs in the transaction that
   * moves the cursor, so what that writes and enqueues is written exactly once; it may run again if the transaction
   * does. `prepare` itself may run in several processes for the same events, of which one commits; what it writes by
   * itself must be right when it is done twice. An event that makes it throw is tried again, and those behind it wait.
   */
  readonly prepare: (context: EarlyContext, workspaceId: string, events: readonly E[]) => Promise<Prepared>
}

type Prepared = {
  readonly write: (tx: Tx) => Promise<void>
  /** The number of events that it is about, at least one; by default all. The others come again. */
  readonly events?: number
}

/** Interval of the fallback, for what a process left behind that died right after its commit. */
const everyMs = 30_000

/** A way to read events for a consumer. */
type Reading<E> = {
  readonly list: (tx: ReadTx, workspaceId: string, consumer: string, rowsMax: number) => Promise<Unread<E>[]>
  readonly rowsMax: number
  /** Events closer together than this are read together. */
  readonly gapMs: number
}

/** Events that come with their payloads may have hundreds of kilobytes each. */
const whole: Reading<LoggedEvent> = { list: listUnread, rowsMax: 200, gapMs: 50 }

const subjects: Reading<EventSubject> = { list: listUnreadSubjects, rowsMax: 500, gapMs: 200 }

/** Lets a consumer follow the log, in the process that has committed, or else in one that looks for it. */
export const followLog = (consumer: EventConsumer): CalledWork => followBy(whole, consumer)

/** Lets a consumer follow the subjects of events, without their payloads: more of them at once, and less often. */
export const followSubjects = (consumer: EventConsumer<EventSubject>): CalledWork => followBy(subjects, consumer)

const followBy = <E extends EventSubject>(reading: Reading<E>, consumer: EventConsumer<E>): CalledWork => ({
  name: `events.${consumer.name}`,
  everyMs,
  on: topicOf(consumer.name),
  gapMs: reading.gapMs,
  run: inEachWorkspace<EarlyContext>({
    due: (tx) => listBehind(tx, consumer.name),
    work: (context, workspaceId) => follow(context, reading, consumer, workspaceId),
  }),
})

/** Reads the next events of a workspace; returns whether there may be more. */
async function follow<E extends EventSubject>(
  context: EarlyContext,
  { list, rowsMax }: Reading<E>,
  { name, prepare }: EventConsumer<E>,
  workspaceId: string,
): Promise<boolean> {
  const { database } = context
  const { rows: unread, mayHaveMore } = await readFitting(rowsMax, (some) =>
    list(database.reader, workspaceId, name, some),
  )
  const first = unread[0]
  if (first === undefined) return false
  const { write, events: taken = unread.length } = await prepare(
    context,
    workspaceId,
    unread.map(({ event }) => event),
  )
  const to = defined(unread[taken - 1]).event.sequence
  await database.write(async (tx) => {
    // First the cursor: a process that is late waits here for the one before it, and finds that there is nothing to do.
    if (await moveCursor(tx, workspaceId, name, { from: first.reached, to })) await write(tx)
  })
  return taken < unread.length || mayHaveMore
}
