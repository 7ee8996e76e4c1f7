import { CalendarFault, readCalendar } from './read.ts'
import type { CalendarFile, CalendarReading } from './reading.ts'

/** Reads a calendar, in a process of the pool. */
export function run({ text, ...reading }: CalendarFile): CalendarReading {
  try {
    return { occurrences: readCalendar(text, reading) }
  } catch (error) {
    if (error instanceof CalendarFault) return { fault: error.message }
    throw error
  }
}
