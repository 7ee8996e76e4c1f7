import type { Migration } from './words.ts'

/** The new index is there before the other one goes, which keeps readers away until the end. */
const replace = (gone: string, name: string, columns: string): string[] => [
  `create index ${name} on search_document (${columns}) where grams is null`,
  `drop index ${gone}`,
]

/**
 * Unindexed documents are read in the order of their records, each batch behind the one before. In no order, Postgres
 * read the table from its beginning, past all that were indexed already.
 */
export const migration: Migration = {
  name: '0170-unindexed-documents',
  rolling: true,
  up: () => replace('search_document_unindexed', 'search_document_to_index', 'workspace_id, object, record_id'),
  down: () => replace('search_document_to_index', 'search_document_unindexed', 'workspace_id, object'),
}
