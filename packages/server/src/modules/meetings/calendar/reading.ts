import { defineTask, TaskFailure, type Pool } from '../../../pool/index.ts'
import type { Occurrence, Reading } from './read.ts'

export type CalendarFile = Reading & { readonly text: string }

/** What a calendar contains, or what is wrong with it, for its sender. */
export type CalendarReading = { readonly occurrences: readonly Occurrence[] } | { readonly fault: string }

const readTask = defineTask<CalendarFile, CalendarReading>({
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
export const readInPool = (pool: Pool, workspaceId: string, file: CalendarFile): Promise<CalendarReading> =>
  pool.run(workspaceId, readTask, file).catch((error: unknown) => {
    if (error instanceof TaskFailure) return { fault: error.message }
    throw error
  })
