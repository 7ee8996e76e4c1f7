import type { ReadTx } from '../../../db/tx.ts'

/** The last event of an activity that may still be open; no activity if there is none in the window. */
export type HeadRow = {
  readonly record_id: string
  /** The highest position of the record. */
  readonly top: number | null
  readonly position: number | null
  readonly place: number | null
  readonly type: string | null
  readonly actor_id: string | null
  readonly began_at: number | null
  readonly created_at: number | null
}

/** How many activities back the query looks: no more than that are open at once, and each costs a row lookup. */
const lookedBack = 16

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
): Promise<HeadRow[]> =>
  tx.query((sql) => {
    const top = sql`(select max(position) from activity as n
      where n.workspace_id = ${workspaceId} and n.record_id = r.id)`
    return sql`select r.id as record_id, ${top} as top,
        a.position, a.place, a.type, a.actor_id, a.began_at, a.created_at
      from ${sql.dialect.idTable(recordIds)} as r
      left join activity as a on a.workspace_id = ${workspaceId} and a.record_id = r.id
        and a.position > ${top} - ${lookedBack} and a.began_at > ${beganAfter}`
  })
