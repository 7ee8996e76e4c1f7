import type { Migration } from './words.ts'

/**
 * A mark for notifications in a digest: times of two nodes do not say which came first. Only what a digest has
 * told of is rewritten: most notifications are of people without one.
 */
export const migration: Migration = {
  name: '0072-told-notifications',
  up: ({ timestamp }) => [
    `alter table notification add column digested_at ${timestamp}`,
    `update notification set digested_at = p.last_digest_at
      from notification_preference p
      where p.workspace_id = notification.workspace_id and p.user_id = notification.user_id
        and p.last_digest_at >= notification.created_at`,
  ],
  down: () => ['alter table notification drop column digested_at'],
}
