import type { Words } from '../words.ts'

const states = ({ integer, narrow, text, timestamp, uuid }: Words): string[] => [
  // Which fields have an index beside those that always have one, and how far it is built (docs/decisions/0045).
  `create table field_index_state (
    workspace_id ${uuid} not null,
    object ${text} not null,
    field ${text} not null,
    kind ${text} not null,
    state ${text} not null,
    filled ${integer} not null,
    total ${integer} not null,
    until_at ${timestamp},
    filled_at ${timestamp},
    filled_id ${uuid},
    requested_at ${timestamp} not null,
    ready_at ${timestamp},
    last_used_at ${timestamp},
    primary key (workspace_id, object, field, kind)
  ) ${narrow}`,
]

const values = ({ byWorkspace, float, including, integer, narrow, partitions, text, uuid }: Words): string[] => [
  `create table field_text (
    workspace_id ${uuid} not null,
    field ${text} not null,
    is_null ${integer} not null,
    text_value ${text} not null,
    record_id ${uuid} not null,
    visibility ${integer} not null,
    primary key (workspace_id, field, is_null, text_value, record_id)${including('visibility')}
  ) ${byWorkspace || narrow}`,
  ...partitions('field_text'),
  'create index field_text_record on field_text (workspace_id, record_id)',
  `create table field_number (
    workspace_id ${uuid} not null,
    field ${text} not null,
    is_null ${integer} not null,
    number_value ${float} not null,
    record_id ${uuid} not null,
    visibility ${integer} not null,
    primary key (workspace_id, field, is_null, number_value, record_id)${including('visibility')}
  ) ${byWorkspace || narrow}`,
  ...partitions('field_number'),
  'create index field_number_record on field_number (workspace_id, record_id)',
]

const isIndexed = 'old.id <= (select indexed_id from gram_index_head)'

/**
 * The trigrams of a text, as numbers derived from the workspace, the field and the characters: an index over them needs
 * no extension, and a search in one workspace never scans another's rows. For a text that is too long for it, the row
 * only records that the text exists (`is_known` 0).
 */
const grams = ({ dialect, uuid, text, integer, timestamp, byWorkspace, partitions }: Words): string[] =>
  dialect === 'postgres'
    ? [
        `create table field_gram (
    workspace_id ${uuid} not null,
    field ${text} not null,
    record_id ${uuid} not null,
    created_at ${timestamp} not null,
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
    record_id ${text} not null,
    created_at ${timestamp} not null,
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

const isIndexedNow = 'old.grams is null and new.grams is not null'

/**
 * The search text of a record: one row for each live record, written in the transaction of the record. `grams` comes
 * later: rows without it are read one by one, and once there are many they are indexed (docs/decisions/0072).
 */
const documents = ({ dialect, uuid, text, timestamp, byWorkspace, partitions }: Words): string[] => {
  const columns = `workspace_id ${uuid} not null,
    record_id ${uuid} not null,
    object ${text} not null,
    created_at ${timestamp} not null,
    title_text ${text} not null,
    document_text ${text} not null,`
  const unindexed =
    'create index search_document_unindexed on search_document (workspace_id, object) where grams is null'
  return dialect === 'postgres'
    ? [
        `create table search_document (
    ${columns}
    grams int4[],
    primary key (workspace_id, record_id)
  ) ${byWorkspace}`,
        ...partitions('search_document'),
        unindexed,
        'create index search_document_grams on search_document using gin (grams) with (fastupdate = on, ' +
          'gin_pending_list_limit = 128)',
      ]
    : [
        // An id of its own, since VACUUM may give out others where there is none.
        `create table search_document (
    id integer primary key,
    ${columns}
    grams ${text}
  ) strict`,
        'create unique index search_document_record on search_document (workspace_id, record_id)',
        unindexed,
        "create virtual table search_index using fts5 (grams, content = 'search_document', content_rowid = " +
          "'id', tokenize = 'ascii', detail = none, columnsize = 0)",
        `create trigger search_document_indexed after update of grams on search_document when ${isIndexedNow} begin
    insert into search_index (rowid, grams) values (new.id, new.grams);
  end`,
        `create trigger search_document_deleted after delete on search_document when old.grams is not null begin
    insert into search_index (search_index, rowid, grams) values ('delete', old.id, old.grams);
  end`,
      ]
}

/** The tables of indexes, by which records are found. */
export const indexesTables = (words: Words): string[] => [
  ...states(words),
  ...values(words),
  ...grams(words),
  ...documents(words),
]
