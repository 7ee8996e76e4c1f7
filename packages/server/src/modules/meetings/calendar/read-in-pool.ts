import { defineTask, joined, TaskFailure, type Pool } from '../../../pool/index.ts'
import type { Calendar, CalendarSetting } from './read.ts'

export type CalendarFile = CalendarSetting & { readonly text: string }

/** The contents of a calendar, or its fault, for its sender. */
export type CalendarReading = { readonly calendar: Calendar } | { readonly fault: string }

/** The same from the process: a large calendar is half a second of work to read. */
export type CalendarOutput =
  | { readonly fault: string }
  | (Record<'series' | 'replies' | 'rejected', readonly Buffer[]> & Pick<Calendar, 'ignored'>)

const readTask = defineTask<CalendarFile, CalendarOutput>({
  name: 'calendar',
  module: new URL('read.task.ts', import.meta.url),
  limits: {
    // A calendar of 9 MiB with 10 attendees to each event takes 7.6 s.
    cpuMs: 10_000,
    wallMs: 60_000,
    heapMiB: 256,
    // 10 MiB of text, of two bytes a character.
    inputBytes: 21 << 20,
    outputBytes: 16 << 20,
  },
})

/** Reads a calendar in a process of the pool; one that takes too much is at fault. */
export async function readInPool(pool: Pool, workspaceId: string, file: CalendarFile): Promise<CalendarReading> {
  const read = await pool.run(workspaceId, readTask, file).catch((error: unknown) => {
    if (error instanceof TaskFailure) return { fault: error.message }
    throw error
  })
  if ('fault' in read) return read
  const calendar = {
    series: await joined<Calendar['series'][number]>(read.series),
    replies: await joined<Calendar['replies'][number]>(read.replies),
    rejected: await joined<Calendar['rejected'][number]>(read.rejected),
    ignored: read.ignored,
  }
  return { calendar }
}
