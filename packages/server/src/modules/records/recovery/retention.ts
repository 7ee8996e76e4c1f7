import { deletedKeptDays } from '@kontor/contract'

/** How long a deleted record can be restored; then it is purged, and until that has happened it answers as if it had been. */
export const keptMs = deletedKeptDays * 24 * 3_600_000
