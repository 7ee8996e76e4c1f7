import type { Migration } from './words.ts'

/** Builds of indexes wait for older transactions as changes of schemas do: which ones they are stands in their jobs. */
export const migration: Migration = {
  name: '0012-one-barrier',
  up: () => ['alter table field_index_state drop column barrier'],
  down: ({ integer }) => [`alter table field_index_state add column barrier ${integer}`],
}
