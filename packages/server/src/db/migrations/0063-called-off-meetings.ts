import type { Migration } from './words.ts'

/** When a calendar deleted the meeting of an occurrence: what it calls off it may bring back, and nothing else. */
export const migration: Migration = {
  name: '0063-called-off-meetings',
  up: ({ timestamp }) => [`alter table calendar_entry add column called_off_at ${timestamp}`],
  down: () => ['alter table calendar_entry drop column called_off_at'],
}
