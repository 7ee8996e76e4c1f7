import { param, statement } from '../../../db/statement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import type { Cache } from '../../../lib/caches.ts'
import { handled } from '../../../lib/promises.ts'

/** The last event of an activity that may still be open; no activity if there is none in the window. */
export type HeadRow = {
  readonly record_id: string
  /** The highest position of the record. */
  readonly top: number | null
  readonly position: number | null
  readonly place: number | null
  readonly type: string | null
  readonly list_id: string | null
  readonly actor_id: string | null
  readonly began_at: number | null
  readonly created_at: number | null
}

/** How many activities back the query looks: no more than that are open at once, and each costs a row lookup. */
const lookedBack = 16

const heads = statement<{ workspace_id: string; ids: readonly string[]; began_after: number }, HeadRow>((sql) => {
  const workspaceId = param('workspace_id')
  const top = sql`(
    select max(position) from activity as n where n.workspace_id = ${workspaceId} and n.record_id = r.id
  )`
  return sql`select r.id as record_id, ${top} as top, a.position, a.place, a.type, a.list_id, a.actor_id,
      a.began_at, a.created_at
    from ${sql.dialect.idTable(param('ids'))} as r
    left join activity as a on a.workspace_id = ${workspaceId} and a.record_id = r.id
      and a.position > ${top} - ${lookedBack} and a.began_at > ${param('began_after')}`
})

/**
 * Lists for each record (or other owner of a feed) its highest position and its recent activities that began after an
 * instant, event by event. One query for any number of records, and for each a few rows at the end of its key range,
 * however long its history is.
 */
const listActivityHeads = (
  tx: ReadTx,
  workspaceId: string,
  recordIds: readonly string[],
  beganAfter: number,
): Promise<HeadRow[]> => tx.all(heads, { workspace_id: workspaceId, ids: recordIds, began_after: beganAfter })

type Ahead = { readonly ids: ReadonlySet<string>; readonly rows: Promise<HeadRow[]> }

/** What was read ahead and not used yet. */
const readAhead: Cache<{ current: Ahead | undefined }> = { make: () => ({ current: undefined }) }

/**
 * Sends the query for the ends of feeds behind the statement that locks their records, so that writing an event costs
 * no round trip of its own. Nothing else may write to these feeds before they are used.
 */
export function readHeadsAhead(tx: Tx, workspaceId: string, recordIds: readonly string[], beganAfter: number): void {
  tx.caches.get(readAhead).current = {
    ids: new Set(recordIds),
    rows: handled(listActivityHeads(tx, workspaceId, recordIds, beganAfter)),
  }
}

/** The ends of feeds, read now unless they were read ahead. Each is used once, since writing moves it. */
export async function takeHeads(
  tx: Tx,
  workspaceId: string,
  recordIds: readonly string[],
  beganAfter: number,
): Promise<HeadRow[]> {
  const cache = tx.caches.get(readAhead)
  const ahead = cache.current
  cache.current = undefined
  if (ahead === undefined || !recordIds.every((id) => ahead.ids.has(id)))
    return listActivityHeads(tx, workspaceId, recordIds, beganAfter)
  const wanted = new Set(recordIds)
  return (await ahead.rows).filter(({ record_id }) => wanted.has(record_id))
}
