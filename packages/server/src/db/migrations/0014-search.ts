import type { Migration, Words } from './words.ts'

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

const payload = {
  postgres: "jsonb_build_object('object', object, 'first', true)",
  sqlite: "json_object('object', object, 'first', json('true'))",
}

/** Records that are there already get their documents in the background; until then, who searches for them waits. */
const fill = ({ dialect, freshId, now: time }: Words): string =>
  `insert into job (workspace_id, id, kind, job_key, payload, run_at, scheduled_at, attempt, failures, created_at)
    select workspace_id, ${freshId}, 'records.documents', object, ${payload[dialect]}, now, now, 0, 0, now
    from (select workspace_id, object from record where deleted_at is null group by workspace_id, object) as present
    cross join (select ${time} as now) as time`

export const migration: Migration = {
  name: '0014-search',
  up: (words) => [...documents(words), fill(words)],
  down: ({ dialect }) => [
    "delete from job where kind in ('records.documents', 'records.search_index')",
    ...(dialect === 'sqlite' ? ['drop table search_index'] : []),
    'drop table search_document',
  ],
}
