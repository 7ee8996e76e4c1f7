import type { Migration } from './words.ts'

/**
 * Hidden links are left out by every question, so the way back along links tells live ones from hidden ones by itself:
 * counting and paging the links of a record never look at the rows.
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
