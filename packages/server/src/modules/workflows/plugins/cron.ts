import { Cron } from 'croner'
import { z } from 'zod'
import { timeZone } from '@kontor/contract'

/** When a workflow runs by itself: a cron expression of five parts, in a time zone. */
export const schedule = z
  .strictObject({
    cron: z.string().min(9).max(200).meta({
      description: 'Minute, hour, day of the month, month, day of the week.',
      example: '0 9 * * MON-FRI',
    }),
    time_zone: timeZone
      .optional()
      .meta({ description: 'An IANA name; by default that of the workspace.', example: 'Europe/Berlin' }),
  })
  .superRefine(({ cron }, context) => {
    const say = (message: string) => context.addIssue({ code: 'custom', path: ['cron'], message })
    try {
      if (nextInstant({ cron, time_zone: 'UTC' }, 0) === undefined) say('never comes')
    } catch (error) {
      say(error instanceof Error ? error.message : 'no cron expression')
    }
  })

export type Schedule = z.infer<typeof schedule>

type Zoned = { readonly cron: string; readonly time_zone: string }

/** The first instant of a schedule after another; undefined if there is none. */
export const nextInstant = ({ cron, time_zone }: Zoned, after: number): number | undefined =>
  new Cron(cron, { timezone: time_zone, mode: '5-part', paused: true }).nextRun(new Date(after))?.getTime()
