import type { Migration } from './words.ts'

/** What a workspace has changed of its layouts; `layout_key` names the object by its key, which a new one has not. */
export const migration: Migration = {
  name: '0032-layouts',
  up: ({ uuid, text, document, timestamp, wide }) => [
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
  ],
  down: () => ['drop table layout'],
}
