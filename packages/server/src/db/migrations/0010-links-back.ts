import type { Migration } from './words.ts'

/**
 * Every query leaves hidden links out, so the index from a link's far end tells live links from hidden ones by itself:
 * counting and paging the links of a record never read the rows.
 */
export const migration: Migration = {
  name: '0010-links-back',
  up: () => [
    'drop index link_reverse',
    'create index link_reverse on link (workspace_id, relationship, to_id, hidden_by, from_id)',
  ],
  down: () => [
    'drop index link_reverse',
    'create index link_reverse on link (workspace_id, relationship, to_id, from_id)',
  ],
}
