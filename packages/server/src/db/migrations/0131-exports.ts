import type { Migration } from './words.ts'

/** Exports of data as files, and how far they are (0373). */
export const migration: Migration = {
  name: '0131-exports',
  up: ({ uuid, text, integer, json, document, timestamp, wide }) => [
    `create table data_export (
       workspace_id ${uuid} not null,
       id ${uuid} not null,
       kind ${text} not null,
       options ${document} not null,
       actor ${json} not null,
       state ${text} not null,
       file_name ${text} not null,
       rows_done ${integer} not null,
       size_bytes ${integer},
       error ${text},
       created_at ${timestamp} not null,
       created_by ${uuid} not null,
       started_at ${timestamp},
       ended_at ${timestamp},
       primary key (workspace_id, id)
     ) ${wide}`,
    'create index export_ended on data_export (ended_at)',
  ],
  down: () => [
    "delete from job where kind = 'exports.run'",
    "delete from async_task where type = 'export'",
    'drop table data_export',
  ],
}
