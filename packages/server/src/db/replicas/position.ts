/**
 * Positions in the log of Postgres, as sixteen hexadecimal digits: their order as texts is their order in the log.
 * A replica that has replayed a position shows everything that was committed before it.
 */

/** Selects a position behind all that is visible by now: without synchronous commits, that is not flushed yet. */
export const selectPosition =
  "select (case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn() " +
  'else pg_current_wal_flush_lsn() end)::text as lsn'

/** The position before all others. */
export const firstPosition = '0'.repeat(16)

/** Returns the position that Postgres writes as `16/B374D848`. */
export const positionOf = (lsn: string): string =>
  lsn
    .split('/')
    .map((half) => half.padStart(8, '0'))
    .join('')
    .toUpperCase()

/** Returns the later of two positions. */
export const laterPosition = (one: string, other: string): string => (one > other ? one : other)
