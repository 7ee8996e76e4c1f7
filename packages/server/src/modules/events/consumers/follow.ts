import { readFitting } from '../../../db/row-bytes.ts'
import type { Tx } from '../../../db/tx.ts'
import { inEachWorkspace } from '../../../engine/each-workspace.ts'
import { every, type EarlyContext, type Recurring } from '../../../engine/recurring.ts'
import { defined } from '../../../lib/guards.ts'
import type { LoggedEvent } from '../logged-event.ts'
import { topicOf } from '../outbox/store.ts'
import { listBehind, listUnread, moveCursor } from './store.ts'

/**
 * Follows the log of each workspace in which it was started (`startFollowing`): it gets every event once and in order,
 * however many processes there are and whenever one of them dies.
 */
export type EventConsumer = {
  /** Names its cursors. */
  readonly name: string
  /**
   * Reads what the events need, outside of a transaction. The `write` that it returns runs in the transaction that
   * moves the cursor, so what that writes and enqueues is written exactly once; it may run again if the transaction
   * does. `prepare` itself may run in several processes for the same events, of which one commits. An event that
   * makes it throw is tried again, and those behind it wait.
   */
  readonly prepare: (context: EarlyContext, workspaceId: string, events: readonly LoggedEvent[]) => Promise<Prepared>
}

type Prepared = {
  readonly write: (tx: Tx) => Promise<void>
  /** The number of events that it is about, at least one; by default all. The others come again. */
  readonly events?: number
}

/** Interval of the fallback, for what a process left behind that died right after its commit. */
const everyMs = 30_000

/** Events closer together than this are read together. */
const gapMs = 50

/** Events in one transaction: they come with their payloads, which may have hundreds of kilobytes each. */
const eventsAtOnce = 200

/** Lets a consumer follow the log, in the process that has committed, or else in one that looks for it. */
export function followLog(consumer: EventConsumer): Recurring {
  const run = inEachWorkspace<EarlyContext>({
    due: (tx) => listBehind(tx, consumer.name),
    work: (context, workspaceId) => follow(context, consumer, workspaceId),
  })
  return every(everyMs, { name: `events.${consumer.name}`, run }, { on: topicOf(consumer.name), gapMs, run })
}

/** Reads the next events of a workspace; returns whether there may be more. */
async function follow(context: EarlyContext, { name, prepare }: EventConsumer, workspaceId: string): Promise<boolean> {
  const { database } = context
  const { rows: unread, mayHaveMore } = await readFitting(eventsAtOnce, (rowsMax) =>
    listUnread(database.reader, workspaceId, name, rowsMax),
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
