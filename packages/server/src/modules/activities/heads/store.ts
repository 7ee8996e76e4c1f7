import { param, statement } from '../../../db/statement.ts'
import type { ReadTx } from '../../../db/tx.ts'

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

/** The number of recent activities that are considered: no more than that are open at once. */
export const openMax = 16

const heads = statement<{ workspace_id: string; ids: readonly string[]; began_after: number }, HeadRow>((sql) => {
  const workspaceId = param('workspace_id')
  const top = sql`(
    select max(position) from activity as n where n.workspace_id = ${workspaceId} and n.record_id = r.id
  )`
  return sql`select r.id as record_id, ${top} as top, a.position, a.place, a.type, a.list_id, a.actor_id,
      a.began_at, a.created_at
    from ${sql.dialect.idTable(param('ids'))} as r
    left join activity as a on a.workspace_id = ${workspaceId} and a.record_id = r.id
      and a.position > ${top} - ${openMax} and a.began_at > ${param('began_after')}`
})

/**
 * Lists for each record (or other owner of a feed) its highest position and its recent activities that began after an
 * instant, event by event. One query for any number of records, and for each a few rows at the end of its key range,
 * however long its history is.
 */
export const listActivityHeads = (
  tx: ReadTx,
  workspaceId: string,
  recordIds: readonly string[],
  beganAfter: number,
): Promise<HeadRow[]> => tx.all(heads, { workspace_id: workspaceId, ids: recordIds, began_after: beganAfter })
