import { z } from 'zod'
import { overlapEnd } from '../../../kernel/secret-overlaps.ts'

/** Secrets that sign beside the current one, and until when each was promised to. */
export const retiredSecrets = z.array(z.object({ secret: z.string(), until: z.number() }))

type Retired = z.infer<typeof retiredSecrets>

/**
 * The secrets that still sign after a rotation. One that was promised to stay valid does, however often others follow;
 * without an overlap the new secret is the only one, as after a leak.
 */
export function retire(before: Retired, current: string, overlapHours: number, now: number): Retired {
  if (overlapHours === 0) return []
  return [{ secret: current, until: overlapEnd(now, overlapHours) }, ...stillSigning(before, now)]
}

export const stillSigning = (retired: Retired, now: number): Retired => retired.filter(({ until }) => until > now)

/** Until when the last of some secrets signs; null without any. */
export const lastUntil = (retired: Retired): number | null =>
  retired.length === 0 ? null : Math.max(...retired.map(({ until }) => until))
