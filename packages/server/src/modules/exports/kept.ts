import { dayMs } from '../../kernel/clock.ts'

/** How long an export and its file are kept. */
export const keptMs = 7 * dayMs
