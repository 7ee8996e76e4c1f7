import type { Migration } from './words.ts'

/** Which meeting an occurrence of a calendar has become, and what comments carry. */
export const migration: Migration = {
  name: '0040-calendar-entries',
  up: ({ uuid, json, narrow }) => [
    `create table calendar_entry (
       workspace_id ${uuid} not null,
       id ${uuid} not null,
       meeting_id ${uuid} not null,
       primary key (workspace_id, id)
     ) ${narrow}`,
    'create index calendar_entry_meeting on calendar_entry (workspace_id, meeting_id)',
    `alter table comment add column attachment_ids ${json} not null default '[]'`,
  ],
  down: () => ['alter table comment drop column attachment_ids', 'drop table calendar_entry'],
}
