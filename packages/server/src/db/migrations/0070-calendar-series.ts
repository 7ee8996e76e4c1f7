import type { Migration } from './words.ts'

/** Of which event an occurrence is, so that those that its newest version does not have are found. */
export const migration: Migration = {
  name: '0070-calendar-series',
  up: ({ text, integer, timestamp }) => [
    `alter table calendar_entry add column uid ${text}`,
    `alter table calendar_entry add column original ${timestamp}`,
    `alter table calendar_entry add column series_sequence ${integer}`,
    `alter table calendar_entry add column series_stamped_at ${timestamp}`,
    'create index calendar_entry_uid on calendar_entry (workspace_id, uid)',
  ],
  down: () => [
    'drop index calendar_entry_uid',
    'alter table calendar_entry drop column series_stamped_at',
    'alter table calendar_entry drop column series_sequence',
    'alter table calendar_entry drop column original',
    'alter table calendar_entry drop column uid',
  ],
}
