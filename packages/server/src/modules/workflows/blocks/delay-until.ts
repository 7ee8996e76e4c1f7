import { DateTime } from 'luxon'
import { z } from 'zod'
import { isoTime } from '../../../kernel/clock.ts'
import { block, StepFailure } from '../plugins/plugin.ts'
import { waited } from './delay-for.ts'
import { waitMsMax } from './duration.ts'

const timeShape = /^([01]\d|2[0-3]):[0-5]\d$/

const input = z.strictObject({
  at: z.union([z.iso.date(), z.iso.datetime({ offset: true })]).meta({
    description: 'A date or a timestamp; one that has passed is no wait.',
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
    .default('UTC')
    .refine((name) => DateTime.local({ zone: name }).isValid, 'must be an IANA time zone such as Europe/Berlin')
    .meta({ description: 'Where that day and time are; an IANA name.', example: 'Europe/Berlin' }),
})

/** Tells the instant. A time that a change of clocks leaves out is as much later; of one that comes twice the first. */
function instantOf({ at, time, time_zone: zone }: z.infer<typeof input>): number {
  const day = DateTime.fromISO(at, { zone })
  if (time === undefined) return day.toMillis()
  const [hour, minute] = time.split(':').map(Number)
  return day.set({ hour: hour ?? 0, minute: minute ?? 0, second: 0, millisecond: 0 }).toMillis()
}

export const delayUntil = block({
  id: 'general:delay:until',
  title: 'Wait until a time',
  description: 'The run goes on at a time, or at once where that has passed. A test run goes on at once.',
  types: ['workflow'],
  input,
  output: waited,
  isPure: true,
  async run({ now, run, resumed }, given) {
    const until = instantOf(given)
    if (until - now > waitMsMax) throw new StepFailure('too_far', `${isoTime(until)} is more than 366 days away.`)
    if (resumed !== undefined) return { state: 'done', output: { until: isoTime(now) } }
    if (run.isDryRun || until <= now) return { state: 'done', output: { until: isoTime(Math.max(until, now)) } }
    return { state: 'wait', until }
  },
})
