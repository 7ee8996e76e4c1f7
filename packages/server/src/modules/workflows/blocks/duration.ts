import { z } from 'zod'
import { dayMs, hourMs } from '../../../kernel/clock.ts'

const units = { minutes: 60_000, hours: hourMs, days: dayMs, weeks: 7 * dayMs } as const

/** Longest that a run may wait: what shall happen later than that belongs into a date of a record. */
export const waitMsMax = 366 * dayMs

/** How long a block waits. */
export const duration = z
  .strictObject({
    amount: z.number().positive().meta({ example: 3 }),
    unit: z.enum(['minutes', 'hours', 'days', 'weeks']),
  })
  .refine((given) => durationMs(given) <= waitMsMax, { error: 'must be at most 366 days', path: ['amount'] })

/** A duration in whole milliseconds. A day has 24 hours; for a time of day there is `general:delay:until`. */
export const durationMs = ({ amount, unit }: { readonly amount: number; readonly unit: keyof typeof units }): number =>
  Math.ceil(amount * units[unit])
