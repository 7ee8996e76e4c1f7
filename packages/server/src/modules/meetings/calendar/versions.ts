import type { Occurrence } from './read.ts'

type Version = Pick<Occurrence, 'sequence' | 'stampedAt'>

/** Whether an occurrence is of an older version than another. */
export const isOlder = (one: Version, other: Version): boolean =>
  one.sequence === other.sequence
    ? one.stampedAt !== null && other.stampedAt !== null && one.stampedAt < other.stampedAt
    : one.sequence < other.sequence
