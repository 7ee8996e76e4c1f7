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

/**
 * With fixed hours, a time that a change of clocks leaves out comes at the end of the gap, and one that comes twice
 * comes once; with any hour, each hour that there is has its own.
 */
const cronOf = ({ cron, time_zone }: Zoned): Cron =>
  new Cron(cron, { timezone: time_zone, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true })

/** The first instant of a schedule after another; undefined if there is none. */
export const nextInstant = (zoned: Zoned, after: number): number | undefined =>
  cronOf(zoned).nextRun(new Date(after))?.getTime()

/** Instants that have passed: the last of them, and how many were before it. */
export type Passed = { readonly last: number; readonly before: number }

/** How many are counted: of a schedule for each minute, those of some hours. */
export const passedMax = 200

/** The instants of a schedule after another one and up to now; undefined if there is none. */
export function passedInstants(zoned: Zoned, after: number, now: number): Passed | undefined {
  const cron = cronOf(zoned)
  const passed: number[] = []
  for (let at = cron.nextRun(new Date(after)); at !== null && at.getTime() <= now; at = cron.nextRun(at)) {
    if (passed.push(at.getTime()) > passedMax) break
  }
  const last = passed.length > passedMax ? cron.previousRuns(1, new Date(now + 1))[0]?.getTime() : passed.at(-1)
  return last === undefined ? undefined : { last, before: passed.length - 1 }
}
