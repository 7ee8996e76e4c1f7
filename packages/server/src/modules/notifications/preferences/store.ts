import type { digestTimes, NotificationKind } from '@kontor/contract'
import type { RowOf } from '../../../db/columns.ts'
import { columnsOf, rowsOf } from '../../../db/rows.ts'
import type { ReadTx } from '../../../db/tx.ts'

export type Preferences = {
  readonly muted: readonly NotificationKind[]
  readonly digest: (typeof digestTimes)[number]
  readonly digest_hour: number
}

export type PreferenceRow = RowOf<'notification_preference'> & Preferences

/** Preferences, and when the last digest was sent. */
export type Chosen = Preferences & Pick<PreferenceRow, 'last_digest_at'>

export const defaultPreferences: Chosen = { muted: [], digest: 'off', digest_hour: 8, last_digest_at: null }

export type OfPerson = Pick<PreferenceRow, 'workspace_id' | 'user_id'>

export const preferenceColumns = columnsOf('notification_preference')

const preferences = rowsOf<PreferenceRow>('notification_preference', preferenceColumns)

export const findPreferences = preferences.findByKey('workspace_id', 'user_id')

export const lockPreferences = preferences.lockByKey('change', 'workspace_id', 'user_id')

/** Inserts preferences; false if another transaction has done so meanwhile. */
export const insertPreferences = preferences.insertNew

export const updatePreferences = preferences.update('workspace_id', 'user_id')

/** Returns the kinds that members have muted; members without a choice are absent. */
export async function listMuted(
  tx: ReadTx,
  workspaceId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, readonly NotificationKind[]>> {
  if (userIds.length === 0) return new Map()
  const rows = await tx.query<Pick<PreferenceRow, 'user_id' | 'muted'>>(({ knex, dialect }) =>
    knex('notification_preference')
      .select('user_id', 'muted')
      .where('workspace_id', workspaceId)
      .where(dialect.oneOf('user_id', userIds)),
  )
  return new Map(rows.map(({ user_id, muted }) => [user_id, muted]))
}
