import type { Migration } from './words.ts'

const numberOf = (type: string) =>
  `(select max(e.sequence) from event e
    where e.workspace_id = webhook.workspace_id and e.record_id = webhook.id and e.type = '${type}')`

/**
 * Where in the log a webhook begins, and from where on it sends: numbers of events instead of times, which the clocks
 * of several nodes tell differently.
 */
export const migration: Migration = {
  name: '0068-positions-of-webhooks',
  up: ({ integer, uuid }) => [
    `alter table webhook add column follows_from ${integer}`,
    `alter table webhook add column sends_from ${integer}`,
    `alter table webhook add column enabled_by ${uuid}`,
    `update webhook set follows_from = coalesce(${numberOf('webhook.created')}, 0)`,
    'update webhook set sends_from = follows_from where enabled',
    'alter table webhook drop column enabled_at',
  ],
  down: ({ timestamp }) => [
    `alter table webhook add column enabled_at ${timestamp} not null default 0`,
    ...['follows_from', 'sends_from', 'enabled_by'].map((column) => `alter table webhook drop column ${column}`),
  ],
}
