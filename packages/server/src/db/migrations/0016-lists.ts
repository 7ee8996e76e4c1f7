import type { Migration, Words } from './words.ts'

/**
 * The definition of a list. `visibility` and `owner_id` control access, as in `record`; `object` is the key of the
 * object of its records.
 */
const lists = ({ uuid, text, integer, float, document, timestamp, wide }: Words): string[] => [
  `create table list (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    object ${text} not null,
    visibility ${integer} not null,
    owner_id ${uuid},
    version ${integer} not null,
    title ${text} not null,
    emoji ${text} not null,
    description ${text} not null,
    type ${text} not null,
    state ${text} not null,
    layout ${text} not null,
    options ${document} not null,
    query ${document},
    query_version_id ${uuid},
    rank ${float} not null,
    applied_version_id ${uuid},
    evaluation_status ${text} not null,
    evaluation_started_at ${timestamp},
    evaluated_at ${timestamp},
    created_at ${timestamp} not null,
    created_by ${uuid} not null,
    updated_at ${timestamp} not null,
    updated_by ${uuid} not null,
    primary key (workspace_id, id)
  ) ${wide}`,
  'create index list_object on list (workspace_id, object, type, state)',
]

/**
 * The records of a list; for a dynamic list, those of its last evaluation. The entries of a deleted record are hidden
 * until it is restored or purged.
 */
const entries = ({ uuid, boolean, narrow }: Words): string[] => [
  `create table list_entry (
    workspace_id ${uuid} not null,
    list_id ${uuid} not null,
    record_id ${uuid} not null,
    hidden ${boolean} not null,
    primary key (workspace_id, list_id, record_id)
  ) ${narrow}`,
  'create index list_entry_record on list_entry (workspace_id, record_id)',
]

/** How far a workspace's changes have been applied to its dynamic lists: the sequence number of an event. */
const followers = ({ uuid, integer, narrow }: Words): string[] => [
  `create table list_follower (
    workspace_id ${uuid} not null,
    followed_sequence ${integer} not null,
    primary key (workspace_id)
  ) ${narrow}`,
]

export const migration: Migration = {
  name: '0016-lists',
  up: (words) => [...lists(words), ...entries(words), ...followers(words)],
  down: () => [
    "delete from job where kind like 'lists.%'",
    "delete from record_count where object like 'list/%'",
    "delete from record_count_delta where object like 'list/%'",
    'drop table list_follower',
    'drop table list_entry',
    'drop table list',
  ],
}
