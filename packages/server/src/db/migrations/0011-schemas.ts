import type { Migration, Words } from './words.ts'

/** The names under which the values of an object are stored; `{}` if each is stored under its own name. */
const keys = ({ document, timestamp }: Words): string[] => [
  `alter table schema_version add column keys ${document} not null default '{}'`,
  // The last version of a deleted object.
  `alter table schema_version add column deleted_at ${timestamp}`,
]

/**
 * The pending version of an object that is being changed; while the row exists, no other change may touch the object.
 */
const targets = ({ uuid, text, integer, boolean, document, timestamp, wide }: Words): string[] => [
  `create table schema_target (
    workspace_id ${uuid} not null,
    object ${text} not null,
    task_id ${uuid} not null,
    target_state ${text} not null,
    target ${document} not null,
    target_keys ${document} not null,
    target_version ${integer} not null,
    gone ${boolean} not null,
    clearing ${document},
    created_at ${timestamp} not null,
    primary key (workspace_id, object)
  ) ${wide}`,
  'create index schema_target_task on schema_target (workspace_id, task_id)',
]

const tasks = ({ uuid, text, integer, document, timestamp, wide }: Words): string[] => [
  `create table async_task (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    user_id ${uuid} not null,
    type ${text} not null,
    progress ${integer} not null,
    total ${integer},
    metadata ${document} not null,
    queued_at ${timestamp} not null,
    started_at ${timestamp},
    completed_at ${timestamp},
    failed_at ${timestamp},
    error_code ${text},
    updated_at ${timestamp} not null,
    primary key (workspace_id, id)
  ) ${wide}`,
  // Ended tasks are deleted by age, across all workspaces at once.
  'create index async_task_queued on async_task (queued_at)',
]

/** The merged feed of all schemas of a workspace: a few rows among those of all records. */
const feed = (): string[] => [
  "create index activity_schema on activity (workspace_id, began_at, record_id, position) where object = 'schema'",
]

export const migration: Migration = {
  name: '0011-schemas',
  up: (words) => [...keys(words), ...targets(words), ...tasks(words), ...feed()],
  down: () => [
    'drop index activity_schema',
    'drop table async_task',
    'drop table schema_target',
    'alter table schema_version drop column deleted_at',
    'alter table schema_version drop column keys',
  ],
}
