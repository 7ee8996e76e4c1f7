import type { ReadTx } from '../../../../db/tx.ts'
import { changesIn, withChanges, type Stored } from '../../changes/store.ts'
import { sequencesLater } from '../../outbox/store.ts'
import type { LoggedEvent } from '../../logged-event.ts'

/** An event without its payload, or one that is committed and has no number yet. */
export type EventHead = LoggedHead | WaitingHead

type Head = Pick<LoggedEvent, 'id' | 'type' | 'object' | 'record_id' | 'actor'>
type LoggedHead = Head & { readonly sequence: number; readonly payload?: undefined }
type WaitingHead = Head & { readonly sequence?: undefined; readonly payload: LoggedEvent['payload'] }

/** Events after a number, and up to another if it is given: at most so many, the newest of them. */
export type NewestRange = { readonly after: number; readonly until?: number; readonly rowsMax: number }

const headColumns = ['id', 'type', 'object', 'record_id', 'actor'] as const

/** Most events without a number that are read: the consumer that numbers them is seldom far behind. */
const waitingMax = 500

/** Lists the heads of events, the newest first: those that have no number yet come before all others. */
export async function listNewestHeads(
  tx: ReadTx,
  workspaceId: string,
  { after, until, rowsMax }: NewestRange,
): Promise<EventHead[]> {
  // Before the log: an event that moves into it meanwhile is read twice, and never not at all.
  const waiting = sequencesLater(tx.dialect)
    ? await tx.query<Stored<WaitingHead>>((sql) =>
        sql
          .knex('outbox')
          .select('payload', ...headColumns, changesIn(sql, workspaceId, 'outbox'))
          .where('workspace_id', workspaceId)
          .orderBy([
            { column: 'written_us', order: 'desc' },
            { column: 'id', order: 'desc' },
          ])
          .limit(waitingMax),
      )
    : []
  const logged = await tx.query<LoggedHead>(
    ({ knex }) => {
      const query = knex('event')
        .select('sequence', ...headColumns)
        .where('workspace_id', workspaceId)
        .where('sequence', '>', after)
        .orderBy('sequence', 'desc')
        .limit(rowsMax)
      return until === undefined ? query : query.where('sequence', '<=', until)
    },
    { heavy: true },
  )
  return [...waiting.map(withChanges), ...logged]
}
