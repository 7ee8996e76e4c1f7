import type { Migration, Words } from './words.ts'

/** Which fields have an index beside those that always have one, and how far it is built (docs/decisions/0045). */
const states = ({ uuid, text, integer, timestamp, narrow }: Words): string =>
  `create table field_index_state (
    workspace_id ${uuid} not null,
    object ${text} not null,
    field ${text} not null,
    kind ${text} not null,
    state ${text} not null,
    filled ${integer} not null,
    total ${integer} not null,
    barrier ${integer},
    until_at ${timestamp},
    filled_at ${timestamp},
    filled_id ${uuid},
    requested_at ${timestamp} not null,
    ready_at ${timestamp},
    last_used_at ${timestamp},
    primary key (workspace_id, object, field, kind)
  ) ${narrow}`

const isIndexed = 'old.id <= (select indexed_id from gram_index_head)'

/**
 * The trigrams of a text, as numbers derived from the workspace, the field and the characters: an index over them needs
 * no extension, and a search in one workspace never scans another's rows. For a text that is too long for it, the row
 * only records that the text exists (`is_known` 0). `more` adds the columns of later migrations.
 */
export const grams = ({ dialect, uuid, text, integer, byWorkspace, partitions }: Words, more = ''): string[] =>
  dialect === 'postgres'
    ? [
        `create table field_gram (
    workspace_id ${uuid} not null,
    field ${text} not null,
    record_id ${uuid} not null,${more}
    is_known ${integer} not null,
    known_text ${text} not null,
    grams int4[] not null,
    primary key (workspace_id, record_id, field)
  ) ${byWorkspace}`,
        ...partitions('field_gram'),
        // New rows wait in a short list that every search reads: a third of the cost of a write, 24 µs a row against
        // 77.
        'create index field_gram_grams on field_gram using gin (grams) with (fastupdate = on, ' +
          'gin_pending_list_limit = 128)',
      ]
    : [
        // An id of its own, since VACUUM may give out others where there is none, and never the same again.
        `create table field_gram (
    id integer primary key autoincrement,
    workspace_id ${text} not null,
    field ${text} not null,
    record_id ${text} not null,${more}
    is_known ${integer} not null,
    known_text ${text} not null,
    grams ${text} not null
  ) strict`,
        'create unique index field_gram_record on field_gram (workspace_id, record_id, field)',
        "create virtual table gram_index using fts5 (grams, content = 'field_gram', content_rowid = 'id', " +
          "tokenize = 'ascii', detail = none, columnsize = 0)",
        // FTS5 flushes at each savepoint, so rows wait here, where every search reads them, and are indexed in batches
        // of hundreds.
        'create table gram_index_head (indexed_id integer not null) strict',
        'insert into gram_index_head (indexed_id) values (0)',
        `create trigger field_gram_deleted after delete on field_gram when ${isIndexed} begin
    insert into gram_index (gram_index, rowid, grams) values ('delete', old.id, old.grams);
  end`,
      ]

/** How people poll: what has changed since, in the order of the changes. */
const updated = 'create index record_updated on record (workspace_id, object, updated_at, id) where deleted_at is null'

export const migration: Migration = {
  name: '0008-field-index',
  up: (words) => [states(words), ...grams(words), updated],
  down: ({ dialect }) => [
    'drop index record_updated',
    ...(dialect === 'sqlite' ? ['drop table gram_index_head', 'drop table gram_index'] : []),
    'drop table field_gram',
    'drop table field_index_state',
  ],
}
