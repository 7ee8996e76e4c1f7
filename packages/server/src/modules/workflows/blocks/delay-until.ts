import { DateTime } from 'luxon'
import { z } from 'zod'
import { isoTime } from '../../../kernel/clock.ts'
import { block, StepFailure } from '../plugins/plugin.ts'
import { waited } from './delay-for.ts'
import { waitMsMax } from './duration.ts'

const isDate = (at: string): boolean => !at.includes('T')

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
    .refine((name) => DateTime.local({ zone: name }).isValid, 'must be an IANA time zone such as Europe/Berlin')
    .optional()
    .meta({
      description: 'Where that day and time are; an IANA name. By default the time zone of the workspace.',
      example: 'Europe/Berlin',
    }),
})

/**
 * Tells the instant; of a date alone its first. A time that a change of clocks leaves out is as much later; of one that
 * comes twice it is the first.
 */
function instantOf({ at, time }: z.infer<typeof input>, zone: string): number {
  const day = DateTime.fromISO(at, { zone })
  if (time === undefined) return isDate(at) ? firstOf(day.startOf('day')) : day.toMillis()
  const [hour, minute] = time.split(':').map(Number)
  return firstOf(day.set({ hour: hour ?? 0, minute: minute ?? 0, second: 0, millisecond: 0 }))
}

/** The first instant at which clocks show a time: which of two Luxon takes depends on when it is asked. */
const firstOf = (shown: DateTime): number =>
  Math.min(...shown.getPossibleOffsets().map((possible) => possible.toMillis()))

export const delayUntil = block({
  id: 'general:delay:until',
  title: 'Wait until a time',
  description: 'The run goes on at a time, or at once where that has passed. A test run goes on at once.',
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
