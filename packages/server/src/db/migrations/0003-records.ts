import type { Migration, Words } from './words.ts'

const records = ({ uuid, text, integer, json, timestamp, wide, byWorkspace, partitions }: Words): string[] => [
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
  // An update leaves all indexed columns as they are; room on the page lets it leave the indexes alone too.
  ...partitions('record', 'with (fillfactor = 90)'),
  'create index record_live on record (workspace_id, object, created_at, id) where deleted_at is null',
  'create index record_deleted on record (workspace_id, deleted_at, id) where deleted_at is not null',
]

/**
 * The order of one field in a workspace. Null is a row too (`is_null` 1, with '' or 0 as its value), so that a
 * sort lists every record; a collection has one row for each item.
 */
const fieldIndex = (
  table: string,
  value: string,
  type: string,
  { uuid, text, integer, narrow, byWorkspace, including, partitions }: Words,
): string[] => [
  `create table ${table} (
    workspace_id ${uuid} not null,
    field ${text} not null,
    is_null ${integer} not null,
    ${value} ${type} not null,
    record_id ${uuid} not null,
    visibility ${integer} not null,
    primary key (workspace_id, field, is_null, ${value}, record_id)${including('visibility')}
  ) ${byWorkspace || narrow}`,
  ...partitions(table),
  `create index ${table}_record on ${table} (workspace_id, record_id)`,
]

const keysAndLinks = ({ uuid, text, narrow }: Words): string[] => [
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
  'create index link_reverse on link (workspace_id, relationship, to_id, from_id)',
  'create index link_hidden on link (workspace_id, hidden_by) where hidden_by is not null',
]

/** On Postgres writers add deltas side by side and a job folds them; on SQLite the one writer keeps the total. */
const counts = ({ uuid, text, integer, narrow }: Words): string[] => [
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

export const migration: Migration = {
  name: '0003-records',
  up: (words) => [
    ...records(words),
    ...fieldIndex('field_text', 'text_value', words.text, words),
    ...fieldIndex('field_number', 'number_value', words.float, words),
    ...keysAndLinks(words),
    ...counts(words),
  ],
  down: () =>
    ['record_count_delta', 'record_count', 'link', 'unique_key', 'field_number', 'field_text', 'record'].map(
      (table) => `drop table ${table}`,
    ),
}
