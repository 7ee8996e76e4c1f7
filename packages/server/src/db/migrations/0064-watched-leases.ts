import type { Migration } from './words.ts'

/** For how long a lease was seen to stand, by processes that may be gone: none need live as long as it holds. */
export const migration: Migration = {
  name: '0064-watched-leases',
  up: ({ integer }) => [`alter table job add column watched_ms ${integer}`],
  down: () => ['alter table job drop column watched_ms'],
}
