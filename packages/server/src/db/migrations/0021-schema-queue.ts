import type { Migration, Words } from './words.ts'

/** Changes of schemas that were accepted while another one was under way, in the order of their places. */
const queue = ({ uuid, integer, document, timestamp, wide }: Words): string[] => [
  `create table schema_queue (
    workspace_id ${uuid} not null,
    task_id ${uuid} not null,
    place ${integer} not null,
    objects ${document} not null,
    request ${document} not null,
    created_at ${timestamp} not null,
    primary key (workspace_id, task_id)
  ) ${wide}`,
]

export const migration: Migration = {
  name: '0021-schema-queue',
  up: (words) => queue(words),
  down: () => ['drop table schema_queue'],
}
