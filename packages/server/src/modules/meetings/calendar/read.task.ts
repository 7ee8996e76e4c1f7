import { CalendarFault, readCalendar } from './read.ts'
import type { CalendarFile, CalendarReading } from './read-in-pool.ts'

/** Reads a calendar, in a process of the pool. */
export function run({ text, ...reading }: CalendarFile): CalendarReading {
  try {
    return { calendar: readCalendar(text, reading) }
  } catch (error) {
    if (error instanceof CalendarFault) return { fault: error.message }
    throw error
  }
}
