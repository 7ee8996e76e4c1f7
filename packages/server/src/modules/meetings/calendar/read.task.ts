import { inPieces } from '../../../pool/pieces.ts'
import { CalendarFault, readCalendar } from './read.ts'
import type { CalendarFile, CalendarOutput } from './read-in-pool.ts'

/** Reads a calendar, in a process of the pool. */
export function run({ text, ...reading }: CalendarFile): CalendarOutput {
  try {
    const { series, replies, rejected, ignored } = readCalendar(text, reading)
    return {
      series: inPieces(series, (one) => 1 + one.occurrences.reduce((sum, of) => sum + 1 + of.participants.length, 0)),
      replies: inPieces(replies),
      rejected: inPieces(rejected),
      ignored,
    }
  } catch (error) {
    if (error instanceof CalendarFault) return { fault: error.message }
    throw error
  }
}
