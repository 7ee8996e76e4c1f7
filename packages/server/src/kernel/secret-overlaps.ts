import { hourMs } from './clock.ts'
import type { ReadContext } from './implement.ts'

/**
 * More would only be rotated by a program that has gone astray; each adds a signature to every request of a webhook.
 */
const earlierMax = 10

/** Returns until when the secret before a rotation stays valid. */
export const overlapEnd = (now: number, overlapHours: number): number => Math.round(now + overlapHours * hourMs)

/** Refuses a rotation that would leave too many earlier secrets valid. */
export function requireFewEarlier(ctx: ReadContext, earlier: readonly unknown[]): void {
  if (earlier.length <= earlierMax) return
  throw ctx.fail('invalid_body', {
    detail:
      `${earlierMax} earlier secrets are still valid. Wait until the first one expires, or end all of them ` +
      'with `overlap_hours: 0`.',
    source: { pointer: '/overlap_hours' },
  })
}
