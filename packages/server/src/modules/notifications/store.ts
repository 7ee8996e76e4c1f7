import { notificationDaysMax, type NotificationKind } from '@kontor/contract'
import type { Knex } from 'knex'
import { tables, type RowOf } from '../../db/columns.ts'
import { deleteSome } from '../../db/delete-some.ts'
import { shortList, type ListReader } from '../../db/short-list.ts'
import { param, statement } from '../../db/statement.ts'
import type { Sql } from '../../db/sql.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { expiredRows } from '../../engine/expired-rows/store.ts'
import { dayMs } from '../../kernel/clock.ts'
import type { Dependent } from '../records/index.ts'

export type NotificationRow = RowOf<'notification'> & {
  readonly notification_kind: NotificationKind
  readonly actor: { readonly id: string; readonly kind: string }
}

export const notificationColumns: readonly string[] = Object.keys(tables.notification)

type OfUser = { readonly workspace_id: string; readonly user_id: string }

export const insertNotifications = (tx: Tx, rows: readonly NotificationRow[]): Promise<void> =>
  tx.insert('notification', rows)

/** Which notifications of a person are listed. */
export type NotificationFilter = OfUser & {
  readonly isRead?: boolean | undefined
  readonly kind?: NotificationKind | undefined
}

const wanted = ({ knex }: Sql, { workspace_id, user_id, isRead, kind }: NotificationFilter): Knex.QueryBuilder => {
  const rows = knex('notification').where({ workspace_id, user_id })
  if (isRead === true) rows.whereNotNull('read_at')
  if (isRead === false) rows.whereNull('read_at')
  if (kind !== undefined) rows.where('notification_kind', kind)
  return rows
}

/** The list of a person's notifications. */
export const notificationsIn = (of: NotificationFilter): ListReader<NotificationRow> =>
  shortList({ from: (sql) => wanted(sql, of), columns: notificationColumns, id: 'id' })

/** A person and a comment that mentions them. */
type Mention = Pick<NotificationRow, 'user_id' | 'comment_id'>

/** Lists who, of some people, has been notified that one of some comments mentions them. */
export const listMentioned = (
  tx: ReadTx,
  workspaceId: string,
  userIds: readonly string[],
  commentIds: readonly string[],
): Promise<Mention[]> =>
  tx.query(({ knex, dialect }) =>
    knex('notification')
      .select('user_id', 'comment_id')
      .where({ workspace_id: workspaceId, notification_kind: 'mention' })
      .where(dialect.oneOf('user_id', userIds))
      .where(dialect.oneOf('comment_id', commentIds)),
  )

/** Marks unread notifications of a person as read: those with the ids, or all. */
export const markRead = (
  tx: Tx,
  { workspace_id, user_id }: OfUser,
  ids: readonly string[] | undefined,
  now: number,
): Promise<number> =>
  tx.change(({ knex, dialect }) => {
    const rows = knex('notification').update({ read_at: now }).where({ workspace_id, user_id }).whereNull('read_at')
    return ids === undefined ? rows : rows.where(dialect.oneOf('id', ids))
  })

const ofUser = statement<OfUser, never>(({ knex }) =>
  knex('notification')
    .where({ workspace_id: param('workspace_id'), user_id: param('user_id') })
    .delete(),
)

/** Deletes the notifications and preferences of persons who are no longer members. */
export async function deleteOfUsers(tx: Tx, workspaceId: string, userIds: readonly string[]): Promise<void> {
  const keys = userIds.map((user_id) => ({ workspace_id: workspaceId, user_id }))
  for (const key of keys) await tx.run(ofUser, key)
  if (keys.length > 0) await tx.deleteByKey('notification_preference', keys)
}

/** They follow their record, and the changes of a merge do not tell of them: they are those of others. */
export const notificationsOfRecords: Dependent = {
  async move({ tx, workspace: { workspaceId } }, fromIds, toId) {
    await tx.change(({ knex, dialect }) =>
      knex('notification')
        .update({ record_id: toId })
        .where('workspace_id', workspaceId)
        .where(dialect.oneOf('record_id', fromIds)),
    )
    return []
  },

  purge: (tx, workspaceId, recordIds, rowsMax) =>
    deleteSome(tx, workspaceId, {
      table: 'notification',
      key: ['id'],
      column: 'record_id',
      values: recordIds,
      rowsMax,
    }),
}

/** Deletes what is old. */
export const notificationUpkeep = expiredRows('notification', {
  key: ['workspace_id', 'id'],
  expired: (rows, now) => rows.where('created_at', '<', now - notificationDaysMax * dayMs),
  oldestBy: 'created_at',
  batchMax: 500,
})
