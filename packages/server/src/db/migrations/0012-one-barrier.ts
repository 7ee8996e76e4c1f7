import type { Migration } from './words.ts'

/** Index builds wait for older transactions as schema changes do; their jobs list those transactions. */
export const migration: Migration = {
  name: '0012-one-barrier',
  up: () => ['alter table field_index_state drop column barrier'],
  down: ({ integer }) => [`alter table field_index_state add column barrier ${integer}`],
}
