import { Cron } from 'croner'
import { Info, type Zone } from 'luxon'
import { z } from 'zod'
import { timeZone } from '@kontor/contract'
import { dayMs } from '../../kernel/clock.ts'

const partsWanted =
  'Must have five parts: minute, hour, day of the month, month and day of the week, for example 0 9 * * MON-FRI.'

/** Finds what is wrong with a cron expression. */
function cronFault(cron: string): string | undefined {
  if (cron.trim().split(/\s+/).length !== 5) return partsWanted
  try {
    return nextInstant({ cron, time_zone: 'UTC' }, 0) === undefined
      ? 'Must be a date that exists: no year has this date.'
      : undefined
  } catch (error) {
    // The parser names the value of a part at fault, behind its own name; its other texts are for its author.
    const reason = error instanceof Error ? /Invalid value for .+$/.exec(error.message)?.[0] : undefined
    return [...(reason === undefined ? [] : [reason]), partsWanted].join('. ')
  }
}

/** When a workflow runs by itself: a cron expression of five parts, in a time zone. */
export const schedule = z
  .strictObject({
    cron: z.string().max(200).meta({
      description: 'Minute, hour, day of the month, month, day of the week.',
      example: '0 9 * * MON-FRI',
    }),
    time_zone: timeZone.optional().meta({
      description: 'The time zone, as an IANA name; by default that of the workspace.',
      example: 'Europe/Berlin',
    }),
  })
  .superRefine(({ cron }, context) => {
    const message = cronFault(cron)
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['cron'], message })
  })

export type Schedule = z.infer<typeof schedule>

type Zoned = { readonly cron: string; readonly time_zone: string }

/** The clocks by which a cron expression is read. */
const read = (cron: string, timezone: string): Cron => new Cron(cron, { timezone, mode: '5-part', paused: true })

/** Returns whether a schedule takes the hours as they come; any other names those at which clocks show it. */
const isOfAnyHour = ({ cron }: Zoned): boolean => /^[*?]/.test(cron.trim().split(/\s+/)[1] ?? '')

/**
 * The first instant of a schedule after another; undefined if there is none. With fixed hours, a time that a change of
 * clocks leaves out comes at the end of the gap, and one that comes twice comes once, whatever its minutes are; with
 * any hour, each hour that there is has its own.
 */
export function nextInstant(zoned: Zoned, after: number): number | undefined {
  if (isOfAnyHour(zoned)) return read(zoned.cron, zoned.time_zone).nextRun(new Date(after))?.getTime()
  const zone = Info.normalizeZone(zoned.time_zone)
  const cron = read(zoned.cron, 'UTC')
  for (let shown = cron.nextRun(new Date(shownAt(zone, after))); shown !== null; shown = cron.nextRun(shown)) {
    const at = instantOf(zone, shown.getTime())
    // An hour that the clocks show for the second time has already run.
    if (at > after) return at
  }
  return undefined
}

/** The last instant of a schedule up to another. */
function lastInstant(zoned: Zoned, until: number): number | undefined {
  if (isOfAnyHour(zoned))
    return read(zoned.cron, zoned.time_zone)
      .previousRuns(1, new Date(until + 1))[0]
      ?.getTime()
  const zone = Info.normalizeZone(zoned.time_zone)
  const cron = read(zoned.cron, 'UTC')
  // In an hour that comes twice, all of its times have come in the first.
  const latest = Math.max(shownAt(zone, until), until + zone.offset(until - dayMs) * minuteMs)
  for (
    let [shown] = cron.previousRuns(1, new Date(latest + 1));
    shown !== undefined;
    [shown] = cron.previousRuns(1, shown)
  ) {
    const at = instantOf(zone, shown.getTime())
    if (at <= until) return at
  }
  return undefined
}

const minuteMs = 60_000

/** Returns the local time of an instant, as if it were in UTC. */
const shownAt = (zone: Zone, at: number): number => at + zone.offset(at) * minuteMs

/** The first instant at which clocks show a time; the end of the gap for one that they leave out. */
function instantOf(zone: Zone, shown: number): number {
  const offsets = [zone.offset(shown - dayMs), zone.offset(shown + dayMs)]
  const possible = offsets.map((offset) => ({ offset, at: shown - offset * minuteMs }))
  const found = possible.filter(({ offset, at }) => zone.offset(at) === offset)
  if (found.length > 0) return Math.min(...found.map(({ at }) => at))
  let [before, behind] = [Math.min(...possible.map(({ at }) => at)), Math.max(...possible.map(({ at }) => at))]
  const offset = zone.offset(before)
  while (behind - before > 1) {
    const middle = Math.floor((before + behind) / 2)
    if (zone.offset(middle) === offset) before = middle
    else behind = middle
  }
  return behind
}

/** Instants that have passed: the last of them, and how many were before it. */
export type Passed = { readonly last: number; readonly before: number }

/** The number that is counted: of a schedule for each minute, those of some hours. */
export const passedMax = 200

/** The instants of a schedule after another one and up to now; undefined if there is none. */
export function passedInstants(zoned: Zoned, after: number, now: number): Passed | undefined {
  let last: number | undefined
  let count = 0
  for (let at = nextInstant(zoned, after); at !== undefined && at <= now; at = nextInstant(zoned, at)) {
    last = at
    if (++count > passedMax) break
  }
  if (last === undefined) return undefined
  return { last: count > passedMax ? (lastInstant(zoned, now) ?? last) : last, before: count - 1 }
}
