import { DateTime } from 'luxon'
import { z } from 'zod'
import { dayMs, hourMs } from '../../kernel/clock.ts'
import type { BlockContext } from '../plugins/index.ts'

const units = { minutes: 60_000, hours: hourMs, days: dayMs, weeks: 7 * dayMs } as const

/** Longest that a run may wait: what shall happen later than that belongs into a date of a record. */
export const waitMsMax = 366 * dayMs

/** The time for which a block waits. */
export const duration = z
  .strictObject({
    amount: z.number().positive().meta({ example: 3 }),
    unit: z.enum(['minutes', 'hours', 'days', 'weeks']).meta({ example: 'days' }),
  })
  .refine(({ amount, unit }) => amount * units[unit] <= waitMsMax, {
    error: 'must be at most 366 days',
    path: ['amount'],
  })

/**
 * When a duration from now is over. Hours and less are elapsed time; whole days, and weeks, end at the same time of day
 * in the time zone of the workspace, also where its clocks change in between.
 */
export async function endOf(
  { amount, unit }: z.infer<typeof duration>,
  { now, timeZone }: Pick<BlockContext, 'now' | 'timeZone'>,
): Promise<number> {
  if (unit === 'minutes' || unit === 'hours') return now + Math.ceil(amount * units[unit])
  const inDays = (amount * units[unit]) / dayMs
  const days = Math.floor(inDays)
  const end = DateTime.fromMillis(now, { zone: await timeZone() }).plus({ days })
  return end.toMillis() + Math.ceil((inDays - days) * dayMs)
}
