import { z } from 'zod'
import { hourMs } from '../../../kernel/clock.ts'
import type { ReadContext } from '../../../kernel/implement.ts'

/** Secrets that sign beside the current one, and until when each was promised to. */
export const retiredSecrets = z.array(z.object({ secret: z.string(), until: z.number() }))

type Retired = z.infer<typeof retiredSecrets>

/** More would only be rotated by a program that has gone astray; each adds a signature to every request. */
const retiredMax = 10

/**
 * The secrets that still sign after a rotation. One that was promised to stay valid does, however often others follow;
 * without an overlap the new secret is the only one, as after a leak.
 */
export function retire(before: Retired, current: string, overlapHours: number, now: number): Retired {
  if (overlapHours === 0) return []
  return [{ secret: current, until: Math.round(now + overlapHours * hourMs) }, ...stillSigning(before, now)]
}

/** Refuses a rotation that would leave too many secrets valid. */
export function requireFew(ctx: ReadContext, retired: Retired): void {
  if (retired.length <= retiredMax) return
  throw ctx.fail('invalid_body', {
    detail:
      `${retiredMax} earlier secrets are still valid. Wait until the first of them expires, or send ` +
      '`overlap_hours: 0`, which ends all of them.',
    source: { pointer: '/overlap_hours' },
  })
}

export const stillSigning = (retired: Retired, now: number): Retired => retired.filter(({ until }) => until > now)

/** Until when the last of some secrets signs; null without any. */
export const lastUntil = (retired: Retired): number | null =>
  retired.length === 0 ? null : Math.max(...retired.map(({ until }) => until))
