import type { Migration } from './words.ts'

/** What members are notified of, and what they want to be notified of. */
export const migration: Migration = {
  name: '0039-notifications',
  up: ({ uuid, text, json, integer, timestamp, wide }) => [
    `create table notification (
      workspace_id ${uuid} not null,
      id ${uuid} not null,
      user_id ${uuid} not null,
      notification_kind ${text} not null,
      object ${text} not null,
      record_id ${uuid} not null,
      comment_id ${uuid},
      run_id ${uuid},
      actor ${json} not null,
      read_at ${timestamp},
      created_at ${timestamp} not null,
      primary key (workspace_id, id)
    ) ${wide}`,
    // A page of a person, newest first; ids begin with the time.
    'create index notification_of_user on notification (workspace_id, user_id, id)',
    'create index notification_unread on notification (workspace_id, user_id, id) where read_at is null',
    // Rows move and go with their record.
    'create index notification_of_record on notification (workspace_id, record_id)',
    // What is old is deleted.
    'create index notification_age on notification (created_at)',
    `create table notification_preference (
      workspace_id ${uuid} not null,
      user_id ${uuid} not null,
      muted ${json} not null,
      digest ${text} not null,
      digest_hour ${integer} not null,
      next_digest_at ${timestamp},
      last_digest_at ${timestamp},
      primary key (workspace_id, user_id)
    ) ${wide}`,
    'create index notification_digest on notification_preference (next_digest_at) where next_digest_at is not null',
  ],
  down: () => ['drop table notification_preference', 'drop table notification'],
}
