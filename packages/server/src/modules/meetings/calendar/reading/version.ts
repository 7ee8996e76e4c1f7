import type { EventVersion } from './calendar.ts'

/** Returns whether a version is older than another. */
export const isOlder = (one: EventVersion, other: EventVersion): boolean =>
  one.sequence === other.sequence
    ? one.stampedAt !== null && other.stampedAt !== null && one.stampedAt < other.stampedAt
    : one.sequence < other.sequence
