import type { Migration } from './words.ts'

const definition = (columns: string): string[] => [
  'drop index search_document_unindexed',
  `create index search_document_unindexed on search_document (${columns}) where grams is null`,
]

/**
 * Unindexed documents are read in the order of their records, from the last one on. In no order, Postgres read the
 * table from its beginning, past all that were indexed already.
 */
export const migration: Migration = {
  name: '0170-unindexed-documents',
  up: () => definition('workspace_id, object, record_id'),
  down: () => definition('workspace_id, object'),
}
