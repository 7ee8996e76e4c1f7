import { columnsOf } from '../../../db/rows.ts'
import type { RowOf } from '../../../db/columns.ts'
import { aliased } from '../../../db/expressions.ts'
import type { Tx } from '../../../db/tx.ts'
import { recordColumns, type RecordRow } from '../../objects/index.ts'
import { attachedRows, type Dependent } from '../../records/index.ts'

export type CalendarEntry = RowOf<'calendar_entry'>

/** Lists what earlier imports have made of events, by the ids of occurrences and by the events themselves. */
export const listImported = (
  tx: Tx,
  workspaceId: string,
  ids: readonly string[],
  uids: readonly string[],
): Promise<CalendarEntry[]> =>
  tx.query(({ knex, dialect }) => {
    const columns = [...names]
    return knex('calendar_entry')
      .select(columns)
      .where('workspace_id', workspaceId)
      .where(dialect.oneOf('uid', uids, 'text'))
      .union(
        knex('calendar_entry')
          .select(columns)
          .where('workspace_id', workspaceId)
          .whereNull('uid')
          .where(dialect.oneOf('id', ids)),
      )
  })

/** An entry from before 0070, which does not name its event, with what its meeting says of that. */
export type UnnamedEntry = CalendarEntry & { readonly data: Readonly<Record<string, unknown>> }

/** Lists the entries that do not name their event, whose meetings have one of some values under a key. */
export const listUnnamed = (
  tx: Tx,
  workspaceId: string,
  { uid, event }: { readonly uid: string; readonly event: string },
  uids: readonly string[],
): Promise<UnnamedEntry[]> =>
  tx.query((sql) => {
    const { knex, dialect } = sql
    return knex('calendar_entry as e')
      .join('record as r', (on) => on.on('r.workspace_id', 'e.workspace_id').on('r.id', 'e.meeting_id'))
      .select(names.map((name) => `e.${name}`))
      .select(aliased(sql, dialect.jsonPick('r.data', [uid, event]), 'data'))
      .where({ 'e.workspace_id': workspaceId, 'r.workspace_id': workspaceId })
      .whereNull('e.uid')
      .where(sql`${dialect.jsonText('r.data', [uid])} in (${sql.join(uids, ', ')})`)
  })

const names = columnsOf('calendar_entry')

/** Remembers what occurrences have become; false where another import was faster. */
export const rememberImported = async (tx: Tx, rows: readonly CalendarEntry[]): Promise<boolean> =>
  rows.length === 0 || (await tx.insertNew('calendar_entry', rows, ['id'])).length === rows.length

/** Forgets what was remembered under other names. */
export const forgetImported = async (tx: Tx, rows: readonly CalendarEntry[]): Promise<void> => {
  if (rows.length > 0)
    await tx.deleteByKey(
      'calendar_entry',
      rows.map(({ workspace_id, id }) => ({ workspace_id, id })),
    )
}

/** Remembers which versions of occurrences are in force. */
export const updateImported = async (tx: Tx, rows: readonly CalendarEntry[]): Promise<void> => {
  if (rows.length > 0) await tx.updateByKey('calendar_entry', ['workspace_id', 'id'], rows)
}

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
