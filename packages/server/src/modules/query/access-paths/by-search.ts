import type { ResolvedFilter } from '../filter.ts'
import { matchingDocuments } from '../search-sql.ts'
import { selectivities, type AccessPath } from './access-path.ts'

/** The path to the documents in which a search finds all its words. */
export const searchPath = (part: Extract<ResolvedFilter, { search: unknown }>): AccessPath => ({
  rows: (sql) => matchingDocuments(sql, part.search, ['s.record_id']),
  rowsWithCreation: (sql) => matchingDocuments(sql, part.search, ['s.record_id', 's.created_at']),
  covers: [part],
  selectivity: selectivities.some,
  label: 'the words that are searched for',
})
