import { deletedKeptDays } from '@kontor/contract'
import { dayMs } from '../../kernel/clock.ts'

/**
 * Retention of deleted records: they can be restored for this long. Then they are purged, and until that has happened
 * they answer as if it had.
 */
export const keptMs = deletedKeptDays * dayMs
