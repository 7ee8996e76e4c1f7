import type { Migration } from './words.ts'

/** Several earlier secrets of an API key may be valid beside the current one (0023). */
export const migration: Migration = {
  name: '0081-retired-keys',
  up: ({ uuid, text, timestamp, narrow }) => [
    `create table retired_key (
       workspace_id ${uuid} not null,
       key_id ${uuid} not null,
       key_hash ${text} not null,
       valid_until ${timestamp} not null,
       primary key (workspace_id, key_id, key_hash)
     ) ${narrow}`,
    // A request brings only the key, so this lookup cannot start with the workspace.
    'create unique index retired_key_hash on retired_key (key_hash)',
    `insert into retired_key (workspace_id, key_id, key_hash, valid_until)
       select workspace_id, id, previous_hash, previous_valid_until from api_key
       where previous_hash is not null and previous_valid_until is not null`,
    'drop index api_key_previous_hash',
    'alter table api_key drop column previous_hash',
    'alter table api_key drop column previous_valid_until',
  ],
  down: ({ text, timestamp }) => [
    `alter table api_key add column previous_hash ${text}`,
    `alter table api_key add column previous_valid_until ${timestamp}`,
    'create index api_key_previous_hash on api_key (previous_hash) where previous_hash is not null',
    `update api_key set previous_valid_until =
       (select max(r.valid_until) from retired_key as r
         where r.workspace_id = api_key.workspace_id and r.key_id = api_key.id)`,
    `update api_key set previous_hash =
       (select max(r.key_hash) from retired_key as r
         where r.workspace_id = api_key.workspace_id and r.key_id = api_key.id
           and r.valid_until = api_key.previous_valid_until)`,
    'drop table retired_key',
  ],
}
