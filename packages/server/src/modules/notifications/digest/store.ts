import type { Knex } from 'knex'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { workspacesOf } from '../../../db/workspaces.ts'
import { lockPreferences, preferenceColumns, updatePreferences, type PreferenceRow } from '../preferences/store.ts'
import { notificationColumns, type NotificationRow } from '../store.ts'

const due = (knex: Knex, now: number): Knex.QueryBuilder =>
  knex('notification_preference').where('next_digest_at', '<=', now)

/** The workspaces with digests that are due. */
export const listDueWorkspaces = (tx: ReadTx, now: number): Promise<string[]> =>
  workspacesOf(tx, ({ knex }) => due(knex, now))

/** A person whose digest is due, the one that has waited longest. */
export const findDue = async (tx: ReadTx, workspaceId: string, now: number): Promise<PreferenceRow | undefined> =>
  (
    await tx.query<PreferenceRow>(({ knex }) =>
      due(knex, now).select(preferenceColumns).where('workspace_id', workspaceId).orderBy('next_digest_at').limit(1),
    )
  )[0]

const untold = (knex: Knex, { workspace_id, user_id }: PreferenceRow, until: number): Knex.QueryBuilder =>
  knex('notification')
    .where({ workspace_id, user_id })
    .whereNull('read_at')
    .whereNull('digested_at')
    .where('created_at', '<=', until)

/** Returns the unread notifications of a person that no digest contained, until an instant; newest first. */
export const listUnread = (tx: ReadTx, of: PreferenceRow, until: number, rowsMax: number): Promise<NotificationRow[]> =>
  tx.query(({ knex }) => untold(knex, of, until).select(notificationColumns).orderBy('id', 'desc').limit(rowsMax))

/** Notes what a digest has told of. */
export const markDigested = (tx: Tx, of: PreferenceRow, until: number, now: number): Promise<number> =>
  tx.change(({ knex }) => untold(knex, of, until).update({ digested_at: now }))

/** Plans the next digest of a person, unless they have changed their preferences meanwhile. */
export async function moveDigest(
  tx: Tx,
  sent: PreferenceRow,
  next: Pick<PreferenceRow, 'next_digest_at' | 'last_digest_at'>,
): Promise<void> {
  const row = await lockPreferences(tx, sent)
  if (row?.next_digest_at === sent.next_digest_at) await updatePreferences(tx, { ...row, ...next })
}
