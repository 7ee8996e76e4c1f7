import type { Migration } from './words.ts'

/** How far a recording has come, and what the notetaker was told of it. */
export const migration: Migration = {
  name: '0041-notetaker',
  up: ({ text }) => [
    `alter table meeting_recording add column state ${text} not null default 'done'`,
    `alter table meeting_recording add column detail ${text}`,
    `alter table meeting_recording add column told ${text}`,
  ],
  down: () => [
    'alter table meeting_recording drop column told',
    'alter table meeting_recording drop column detail',
    'alter table meeting_recording drop column state',
  ],
}
