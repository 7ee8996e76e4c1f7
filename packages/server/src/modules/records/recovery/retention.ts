import { deletedKeptDays } from '@kontor/contract'
import { dayMs } from '../../../kernel/clock.ts'

/** How long a deleted record can be restored; then it is purged, and until that has happened it answers as if it had been. */
export const keptMs = deletedKeptDays * dayMs
