import type { Migration } from './words.ts'

/** How far a consumer has read the log of a workspace: the sequence number of an event. */
export const migration: Migration = {
  name: '0025-event-cursors',
  up: ({ uuid, text, integer, narrow }) => [
    `create table event_cursor (
      workspace_id ${uuid} not null,
      consumer ${text} not null,
      sequence ${integer} not null,
      primary key (workspace_id, consumer)
    ) ${narrow}`,
  ],
  down: () => ['drop table event_cursor'],
}
