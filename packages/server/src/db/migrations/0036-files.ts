import type { Migration } from './words.ts'

/** Files, whose bytes are elsewhere, and those that are attached to records. */
export const migration: Migration = {
  name: '0036-files',
  up: ({ uuid, text, integer, timestamp, document, wide }) => [
    `create table file (
       workspace_id ${uuid} not null,
       id ${uuid} not null,
       subject_id ${uuid} not null,
       name ${text} not null,
       upload_key ${text} not null,
       size_bytes ${integer},
       mime_type ${text},
       created_at ${timestamp} not null,
       discard_at ${timestamp},
       primary key (workspace_id, id)
     ) ${wide}`,
    'create index file_discard on file (discard_at, workspace_id) where discard_at is not null',
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
  ],
  down: () => ['drop table attachment', 'drop table file'],
}
