import { isDeepStrictEqual } from 'node:util'
import type { Input, NotificationPreferencesResource, notifications } from '@kontor/contract'
import type { ReadTx } from '../../../db/tx.ts'
import { defined } from '../../../lib/guards.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { resource } from '../../../kernel/resource.ts'
import { findMember } from '../../identity/users/index.ts'
import { findSettings } from '../../settings/index.ts'
import { nextDigestAt } from './digest-times.ts'
import {
  defaultPreferences,
  findPreferences,
  insertPreferences,
  lockPreferences,
  updatePreferences as store,
  type OfPerson,
  type PreferenceRow,
  type Chosen,
  type Preferences,
} from './store.ts'

/** Facts about the app that preferences use. */
export type PreferenceServices = { readonly sendsEmail: boolean }

export const getPreferences = async (
  tx: ReadTx,
  services: PreferenceServices,
  of: OfPerson,
): Promise<NotificationPreferencesResource> => present(tx, services, of, await findPreferences(tx, of))

/** Changes what the body names. */
export async function updatePreferences(
  ctx: WriteContext,
  services: PreferenceServices,
  of: OfPerson,
  body: Input<typeof notifications.updatePreferences>['body'],
): Promise<NotificationPreferencesResource> {
  const { time_zone: zone } = await findSettings(ctx.tx, of.workspace_id)
  const asked = body.data.attributes
  const rowOf = (before: Chosen): PreferenceRow => {
    const { muted = before.muted, digest = before.digest, digest_hour = before.digest_hour } = asked
    const next = { ...of, muted: [...new Set(muted)], digest, digest_hour }
    // The first digest tells of what comes from now on.
    const since = before.digest === 'off' ? ctx.now : before.last_digest_at
    return { ...next, next_digest_at: nextDigestAt(next, ctx.now, zone), last_digest_at: since }
  }
  const before = await lockPreferences(ctx.tx, of)
  const first = rowOf(before ?? defaultPreferences)
  if (before === undefined && (await insertPreferences(ctx.tx, first))) return present(ctx.tx, services, of, first)
  const there = before ?? defined(await lockPreferences(ctx.tx, of))
  const row = rowOf(there)
  if (!isDeepStrictEqual(row, there)) await store(ctx.tx, row)
  return present(ctx.tx, services, of, row)
}

async function present(
  tx: ReadTx,
  { sendsEmail }: PreferenceServices,
  { workspace_id, user_id: id }: OfPerson,
  { muted, digest, digest_hour }: Preferences = defaultPreferences,
): Promise<NotificationPreferencesResource> {
  const isVerified = (await findMember(tx, workspace_id, id))?.unverified_since === null
  return resource('notification-preferences', id, {
    muted: [...muted],
    digest,
    digest_hour,
    digest_available: sendsEmail && isVerified,
  })
}
