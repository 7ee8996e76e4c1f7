import { beginWithoutIndexes, beginWithIndexes } from './schema-floor.ts'
import type { Migration } from './words.ts'

/**
 * Changes of settings and of indexes on demand raise the epoch of the schemas, by which every write goes (0061).
 * Servers of before would not raise it.
 */
export const migration: Migration = {
  name: '0165-one-epoch',
  up: ({ dialect }) => [
    ...(dialect === 'postgres' ? [beginWithoutIndexes] : []),
    'alter table horizon drop column index_epoch',
  ],
  down: ({ dialect, integer }) => [
    `alter table horizon add column index_epoch ${integer} not null default 0`,
    ...(dialect === 'postgres' ? [beginWithIndexes] : []),
  ],
}
