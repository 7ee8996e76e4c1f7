import { dayMs } from '../../kernel/clock.ts'

/** The time for which an export and its file are kept. */
export const keptMs = 7 * dayMs
