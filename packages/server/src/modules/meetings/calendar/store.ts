import type { RowOf } from '../../../db/columns.ts'
import type { Tx } from '../../../db/tx.ts'
import { recordColumns, type RecordRow } from '../../objects/index.ts'
import { attachedRows, type Dependent } from '../../records/index.ts'

export type CalendarEntry = RowOf<'calendar_entry'>

/** The meetings that occurrences of events have become, by the id of the occurrence. */
export async function findImported(
  tx: Tx,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CalendarEntry>> {
  const rows = await tx.query<CalendarEntry>(({ knex, dialect }) =>
    knex('calendar_entry')
      .select('workspace_id', 'id', 'meeting_id', 'sequence', 'stamped_at', 'called_off_at')
      .where('workspace_id', workspaceId)
      .where(dialect.oneOf('id', ids)),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Remembers what occurrences have become; false where another import was faster. */
export const rememberImported = async (tx: Tx, rows: readonly CalendarEntry[]): Promise<boolean> =>
  (await tx.insertNew('calendar_entry', rows, ['id'])).length === rows.length

/** Remembers which versions of occurrences are in force. */
export const updateVersions = (tx: Tx, rows: readonly CalendarEntry[]): Promise<void> =>
  tx.updateByKey('calendar_entry', ['workspace_id', 'id'], rows)

/** Meetings that are deleted, and have been since occurrences in them were called off: no person has deleted them. */
export const listCalledOff = (tx: Tx, workspaceId: string, entryIds: readonly string[]): Promise<RecordRow[]> =>
  tx.query(({ knex, dialect }) =>
    knex('record as r')
      .select(recordColumns.map((name) => `r.${name}`))
      .where('r.workspace_id', workspaceId)
      .whereExists(
        knex('calendar_entry as e')
          .select('e.id')
          .where('e.workspace_id', workspaceId)
          .where(dialect.oneOf('e.id', entryIds))
          .where('e.meeting_id', knex.ref('r.id'))
          .where('e.called_off_at', knex.ref('r.deleted_at')),
      )
      .orderBy('r.id'),
  )

const attached = attachedRows({ table: 'calendar_entry', column: 'meeting_id', path: 'calendar_entries' })

export const calendarEntriesOfMeetings: Dependent = {
  ...attached,
  async move(ctx, fromIds, toId) {
    await attached.move?.(ctx, fromIds, toId)
    // They are no part of what is shown of a meeting.
    return []
  },
}
