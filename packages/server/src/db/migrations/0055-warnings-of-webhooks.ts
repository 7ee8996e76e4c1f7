import type { Migration } from './words.ts'

/**
 * How near to its end a failing webhook was said to be; and webhooks that are disabled are followed too, where
 * somebody's view tells what they miss.
 */
export const migration: Migration = {
  name: '0055-warnings-of-webhooks',
  up: ({ integer }) => [
    `alter table webhook add column warned_percent ${integer} not null default 0`,
    `insert into event_cursor (workspace_id, consumer, sequence)
     select h.workspace_id, 'webhooks', h.last_sequence from event_head h
     where exists (
       select 1 from webhook w
       where w.workspace_id = h.workspace_id and w.disabled_reason in ('requested', 'gone', 'failing'))
     and not exists (
       select 1 from event_cursor c where c.workspace_id = h.workspace_id and c.consumer = 'webhooks')`,
  ],
  down: () => ['alter table webhook drop column warned_percent'],
}
