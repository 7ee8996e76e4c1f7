import type { Migration } from './words.ts'

/** Which version of an event a meeting shows: an older file that comes later takes nothing back. */
export const migration: Migration = {
  name: '0059-calendar-versions',
  up: ({ integer, timestamp }) => [
    `alter table calendar_entry add column sequence ${integer} not null default 0`,
    `alter table calendar_entry add column stamped_at ${timestamp}`,
  ],
  down: () => ['alter table calendar_entry drop column stamped_at', 'alter table calendar_entry drop column sequence'],
}
