import { DateTime } from 'luxon'
import { z } from 'zod'
import { isoTime } from '../../kernel/clock.ts'
import { defined } from '../../lib/guards.ts'
import { firstOf, readTime } from '../templates/index.ts'
import { block, StepFailure } from '../plugins/index.ts'
import { waited } from './delay-for.ts'
import { waitMsMax } from './duration.ts'

const timeShape = /^([01]\d|2[0-3]):[0-5]\d$/

const input = z.strictObject({
  at: z
    .string()
    .refine((text) => readTime(text, 'utc') !== undefined, 'must be a date or a time such as 2026-12-31T09:00')
    .meta({
      description:
        'A date, or a time with or without a zone (`2026-12-31`, `2026-12-31T09:00`, `2026-12-31T09:00:00+01:00`). ' +
        'If it has passed, the run continues immediately.',
      example: '{{trigger.state.event.object.data.due_date}}',
    }),
  time: z.string().regex(timeShape, 'must be a time such as 09:00').optional().meta({
    description: 'The time of that day; by default that of the timestamp, or the beginning of the date.',
    example: '09:00',
  }),
  time_zone: z
    .string()
    .min(1)
    .max(64)
    .refine((name) => DateTime.local({ zone: name }).isValid, 'must be an IANA time zone such as Europe/Berlin')
    .optional()
    .meta({
      description: 'The time zone of that day and time, as an IANA name; by default that of the workspace.',
      example: 'Europe/Berlin',
    }),
})

/**
 * Tells the instant; of a date alone its first. A time that a change of clocks leaves out is as much later; of one that
 * comes twice it is the first.
 */
function instantOf({ at, time }: z.infer<typeof input>, zone: string): number {
  const read = defined(readTime(at, zone))
  if (time === undefined && 'at' in read) return read.at.toMillis()
  const day = 'at' in read ? read.at.setZone(zone) : DateTime.fromISO(read.date, { zone })
  const [hour = 0, minute = 0] = time?.split(':').map(Number) ?? []
  return firstOf(day.set({ hour, minute, second: 0, millisecond: 0 })).toMillis()
}

export const delayUntil = block({
  id: 'general:delay:until',
  title: 'Wait until a time',
  description: 'The run continues at a time, or immediately if that has passed. A test run continues immediately.',
  types: ['workflow'],
  input,
  output: waited,
  isPure: true,
  async run({ now, run, resumed, timeZone }, given) {
    if (resumed !== undefined) return { state: 'done', output: { until: isoTime(now) } }
    const until = instantOf(given, given.time_zone ?? (await timeZone()))
    if (until - now > waitMsMax) throw new StepFailure('too_far', `${isoTime(until)} is more than 366 days away.`)
    if (run.isDryRun || until <= now) return { state: 'done', output: { until: isoTime(Math.max(until, now)) } }
    return { state: 'wait', until }
  },
})
