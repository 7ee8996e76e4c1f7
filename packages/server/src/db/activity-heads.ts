import type { ReadTx } from './tx.ts'

/** The last event of an activity that may still be going on; no activity where there is none in the window. */
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

/** Activities that are looked back at: more do not go on at once, and each costs a look at a row. */
const lookedBack = 16

/**
 * Of each record, or whatever else has a feed, its highest position, and the recent activities that began after an instant,
 * event by event. One query for any number of records, and for each a few rows at the end of its range of the key, however
 * long its history is.
 */
export const listActivityHeads = (
  tx: ReadTx,
  workspaceId: string,
  recordIds: readonly string[],
  beganAfter: number,
): Promise<HeadRow[]> => {
  const top = 'select max(position) from activity as n where n.workspace_id = ? and n.record_id = r.id'
  return tx.query(({ knex, dialect }) =>
    knex.raw(
      `select r.id as record_id, (${top}) as top, a.position, a.place, a.type, a.actor_id, a.began_at, a.created_at
       from ? as r
       left join activity as a on a.workspace_id = ? and a.record_id = r.id and a.position > (${top}) - ${lookedBack} and a.began_at > ?`,
      [workspaceId, dialect.idTable(knex, recordIds), workspaceId, workspaceId, beganAfter] as never[],
    ),
  )
}
