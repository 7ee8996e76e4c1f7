import type { Migration, Words } from './words.ts'

/** Deleted records by object, as they are listed, and by age through all workspaces at once, as they are purged. */
const deleted = [
  'drop index record_deleted',
  'create index record_deleted on record (workspace_id, object, deleted_at, id) where deleted_at is not null',
  'create index record_expired on record (deleted_at) where deleted_at is not null',
]

/**
 * The record that a record was merged into; always the last of a chain. The row stays as long as that one, even after
 * the purge of the merged record.
 */
const merged = ({ uuid, narrow }: Words): string[] => [
  `create table merged_record (
    workspace_id ${uuid} not null,
    merged_id ${uuid} not null,
    target_id ${uuid} not null,
    primary key (workspace_id, merged_id)
  ) ${narrow}`,
  'create index merged_record_target on merged_record (workspace_id, target_id)',
]

export const migration: Migration = {
  name: '0006-recovery',
  up: (words) => [...deleted, ...merged(words)],
  down: () => [
    'drop table merged_record',
    'drop index record_expired',
    'drop index record_deleted',
    'create index record_deleted on record (workspace_id, deleted_at, id) where deleted_at is not null',
  ],
}
