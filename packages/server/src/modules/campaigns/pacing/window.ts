import { DateTime } from 'luxon'
import type { SendingWindow } from '@kontor/contract'

/** As luxon counts the days of the week, from Monday. */
const days: readonly SendingWindow['days'][number][] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** Days that are looked at: a window that a change of clocks leaves out is open a week later. */
const daysMax = 15

type Hours = Pick<SendingWindow, 'days' | 'from' | 'until'>

/** An hour of a day: one that a change of clocks leaves out is as much later; one that comes twice is the first. */
function hourOf(day: DateTime, text: string): number {
  const [hour = 0, minute = 0] = text.split(':').map(Number)
  const at = hour === 24 ? day.plus({ days: 1 }).startOf('day') : day.set({ hour, minute })
  return at.toMillis()
}

/** The first instant from another on at which a window is open in a time zone: the same one where it is open then. */
export function nextOpening({ days: open, from, until }: Hours, zone: string, at: number): number {
  const today = DateTime.fromMillis(at, { zone }).startOf('day')
  for (let index = 0; index < daysMax; index++) {
    const day = today.plus({ days: index }).startOf('day')
    const weekday = days[day.weekday - 1]
    const [opens, closes] = [hourOf(day, from), hourOf(day, until)]
    if (weekday !== undefined && open.includes(weekday) && opens < closes && at < closes) return Math.max(at, opens)
  }
  return today.plus({ days: daysMax }).toMillis()
}

/** The day of an instant in a time zone. */
export const dayOf = (at: number, zone: string): string => DateTime.fromMillis(at, { zone }).toFormat('yyyy-MM-dd')

/** When the day after one begins. */
export const endOfDay = (day: string, zone: string): number =>
  DateTime.fromISO(day, { zone }).plus({ days: 1 }).startOf('day').toMillis()
