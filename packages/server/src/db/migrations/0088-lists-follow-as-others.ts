import type { Migration } from './words.ts'

/** Lists follow the log of events by the cursors that webhooks and workflows have, and not by a table of their own. */
export const migration: Migration = {
  name: '0088-lists-follow-as-others',
  up: () => [
    `insert into event_cursor (workspace_id, consumer, sequence)
       select workspace_id, 'lists', followed_sequence from list_follower`,
    'drop table list_follower',
  ],
  down: ({ uuid, integer, narrow }) => [
    `create table list_follower (
       workspace_id ${uuid} not null,
       followed_sequence ${integer} not null,
       primary key (workspace_id)
     ) ${narrow}`,
    `insert into list_follower (workspace_id, followed_sequence)
       select workspace_id, sequence from event_cursor where consumer = 'lists'`,
    `delete from event_cursor where consumer = 'lists'`,
  ],
}
