import type { Migration } from './words.ts'

/** The progress of the revert of an import (0362). */
export const migration: Migration = {
  name: '0119-import-reverts',
  up: ({ uuid, text, integer, boolean, json, document, timestamp, wide }) => [
    `create table import_revert (
       workspace_id ${uuid} not null,
       import_id ${uuid} not null,
       undo_state ${text} not null,
       actor ${json} not null,
       silent ${boolean} not null,
       undone_to ${json},
       events_seen ${integer} not null,
       events_reverted ${integer} not null,
       conflicts ${document} not null,
       conflict_count ${integer} not null,
       created_at ${timestamp} not null,
       created_by ${uuid} not null,
       ended_at ${timestamp},
       primary key (workspace_id, import_id)
     ) ${wide}`,
  ],
  down: () => ["delete from job where kind = 'imports.revert'", 'drop table import_revert'],
}
