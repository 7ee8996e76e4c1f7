import type { Words } from '../words.ts'

const records = ({ byWorkspace, integer, json, narrow, partitions, text, timestamp, uuid, wide }: Words): string[] => [
  `create table record (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    object ${text} not null,
    visibility ${integer} not null,
    owner_id ${uuid},
    version ${integer} not null,
    created_at ${timestamp} not null,
    created_by ${uuid},
    updated_at ${timestamp} not null,
    updated_by ${uuid},
    deleted_at ${timestamp},
    deleted_by ${uuid},
    data ${json} not null,
    primary key (workspace_id, id)
  ) ${byWorkspace || wide}`,
  ...partitions('record', 'with (fillfactor = 90)'),
  'create index record_live on record (workspace_id, object, created_at, id) where deleted_at is null',
  'create index record_deleted on record (workspace_id, object, deleted_at, id) where deleted_at is not null',
  'create index record_expired on record (deleted_at) where deleted_at is not null',
  'create index record_updated on record (workspace_id, object, updated_at, id) where deleted_at is null',
  'create index record_owned on record (workspace_id, owner_id, object) where visibility = 0 and deleted_at is null',
  `create index record_public on record (workspace_id, object, created_at, id) where visibility > 0 and
    deleted_at is null`,
  // Those who own what is private find it by this; there is little of it.
  `create index record_private on record (workspace_id, object, owner_id) where visibility = -1 and deleted_at
    is null`,
  `create table unique_key (
    workspace_id ${uuid} not null,
    field ${text} not null,
    key_value ${text} not null,
    record_id ${uuid} not null,
    primary key (workspace_id, field, key_value)
  ) ${narrow}`,
  'create index unique_key_record on unique_key (workspace_id, record_id)',
  `create table link (
    workspace_id ${uuid} not null,
    relationship ${text} not null,
    from_id ${uuid} not null,
    to_id ${uuid} not null,
    hidden_by ${uuid},
    primary key (workspace_id, relationship, from_id, to_id)
  ) ${narrow}`,
  'create index link_hidden on link (workspace_id, hidden_by) where hidden_by is not null',
  'create index link_reverse on link (workspace_id, relationship, to_id, hidden_by, from_id)',
  // The record that a record was merged into; always the last of a chain. The row stays as long as that one, even
  // after the purge of the merged record.
  `create table merged_record (
    workspace_id ${uuid} not null,
    merged_id ${uuid} not null,
    target_id ${uuid} not null,
    owner_id ${uuid},
    merged_by ${uuid},
    primary key (workspace_id, merged_id)
  ) ${narrow}`,
  'create index merged_record_target on merged_record (workspace_id, target_id)',
]

const counts = ({ integer, narrow, text, uuid }: Words): string[] => [
  // On Postgres writers add deltas side by side and a job folds them; on SQLite the one writer keeps the total.
  `create table record_count (
    workspace_id ${uuid} not null,
    object ${text} not null,
    total ${integer} not null,
    primary key (workspace_id, object)
  ) ${narrow}`,
  `create table record_count_delta (
    workspace_id ${uuid} not null,
    object ${text} not null,
    id ${uuid} not null,
    delta ${integer} not null,
    primary key (workspace_id, object, id)
  ) ${narrow}`,
]

const attached = ({ document, including, integer, json, narrow, text, timestamp, uuid, wide }: Words): string[] => [
  // The grants. A grant to the workspace has the workspace as its `grantee_id`, so that each grantee has one grant;
  // a thing that is shared with the workspace also says so in its own `visibility`. The first key answers whether a
  // user may see one thing, the second which things of an object a user was granted.
  `create table access_grant (
    workspace_id ${uuid} not null,
    record_id ${uuid} not null,
    grantee_id ${uuid} not null,
    grantee_type ${text} not null,
    id ${uuid} not null,
    object ${text} not null,
    level ${integer} not null,
    created_at ${timestamp} not null,
    created_by ${uuid} not null,
    updated_at ${timestamp},
    updated_by ${uuid},
    primary key (workspace_id, record_id, grantee_id)${including('level')}
  ) ${narrow}`,
  'create index access_grant_grantee on access_grant (workspace_id, grantee_id, object, record_id)',
  `create table comment (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    record_id ${uuid} not null,
    object ${text} not null,
    message ${document} not null,
    mentions ${json} not null,
    created_at ${timestamp} not null,
    created_by ${uuid} not null,
    updated_at ${timestamp},
    updated_by ${uuid},
    attachment_ids ${json} not null default '[]',
    author ${json},
    primary key (workspace_id, id)
  ) ${wide}`,
  // Purging and merging select by record.
  'create index comment_record on comment (workspace_id, record_id, id)',
  `create table attachment (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    record_id ${uuid} not null,
    source ${text} not null,
    message_ref ${text},
    sent_by ${document},
    created_at ${timestamp} not null,
    created_by ${uuid},
    primary key (workspace_id, id)
  ) ${wide}`,
  'create index attachment_record on attachment (workspace_id, record_id, id)',
]

const arranged = ({ boolean, document, float, integer, narrow, text, timestamp, uuid, wide }: Words): string[] => [
  // What a workspace has changed of its layouts; `layout_key` names the object by its key, which a new one has not.
  `create table layout (
    workspace_id ${uuid} not null,
    layout_key ${text} not null,
    tree ${document} not null,
    created_at ${timestamp} not null,
    created_by ${uuid} not null,
    updated_at ${timestamp} not null,
    updated_by ${uuid} not null,
    primary key (workspace_id, layout_key)
  ) ${wide}`,
  // The definition of a list. `visibility` and `owner_id` control access, as in `record`; `object` is the key of
  // the object of its records.
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
  // The records of a list; for a dynamic list, those of its last evaluation. The entries of a deleted record are
  // hidden until it is restored or purged.
  `create table list_entry (
    workspace_id ${uuid} not null,
    list_id ${uuid} not null,
    record_id ${uuid} not null,
    hidden ${boolean} not null,
    primary key (workspace_id, list_id, record_id)
  ) ${narrow}`,
  'create index list_entry_record on list_entry (workspace_id, record_id)',
  // Events of lists are for those who may see the list: feeds know which list an event is about, and who could see
  // a list that was deleted is kept.
  `create table deleted_list (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    visibility ${integer} not null,
    owner_id ${uuid},
    primary key (workspace_id, id)
  ) ${narrow}`,
]

/** Records, and what hangs on them. */
export const recordsTables = (words: Words): string[] => [
  ...records(words),
  ...counts(words),
  ...attached(words),
  ...arranged(words),
]
