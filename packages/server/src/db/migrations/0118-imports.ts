import type { Migration } from './words.ts'

/** Imports of files, how far they are, and the rows that they rejected (0362). */
export const migration: Migration = {
  name: '0118-imports',
  up: ({ uuid, text, integer, boolean, json, document, timestamp, wide }) => [
    `create table record_import (
       workspace_id ${uuid} not null,
       id ${uuid} not null,
       object ${text} not null,
       file_id ${uuid} not null,
       file_name ${text} not null,
       file_bytes ${integer} not null,
       shape ${document} not null,
       options ${document} not null,
       actor ${json} not null,
       silent ${boolean} not null,
       state ${text} not null,
       position ${integer} not null,
       line ${integer} not null,
       rows_total ${integer},
       rows_done ${integer} not null,
       created ${integer} not null,
       updated ${integer} not null,
       unchanged ${integer} not null,
       rejected ${integer} not null,
       error ${text},
       created_at ${timestamp} not null,
       created_by ${uuid} not null,
       started_at ${timestamp},
       ended_at ${timestamp},
       primary key (workspace_id, id)
     ) ${wide}`,
    'create index import_ended on record_import (ended_at)',
    `create table import_reject (
       workspace_id ${uuid} not null,
       import_id ${uuid} not null,
       line ${integer} not null,
       cells ${document} not null,
       reason ${text} not null,
       primary key (workspace_id, import_id, line)
     ) ${wide}`,
  ],
  down: () => [
    "delete from job where kind = 'imports.run'",
    "delete from async_task where type = 'import'",
    'drop table import_reject',
    'drop table record_import',
  ],
}
