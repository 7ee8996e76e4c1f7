import { DateTime } from 'luxon'
import type { Preferences } from './store.ts'

const monday = 1

/**
 * When the next digest is due, after `now`: at its hour in a time zone, on Mondays where it is weekly; null for none.
 */
export function nextDigestAt(
  { digest, digest_hour: hour }: Pick<Preferences, 'digest' | 'digest_hour'>,
  now: number,
  zone: string,
): number | null {
  if (digest === 'off') return null
  const days = digest === 'weekly' ? 7 : 1
  const today = DateTime.fromMillis(now, { zone }).set({ hour, minute: 0, second: 0, millisecond: 0 })
  let at = digest === 'weekly' ? today.set({ weekday: monday }) : today
  while (at.toMillis() <= now) at = at.plus({ days }).set({ hour })
  return at.toMillis()
}
