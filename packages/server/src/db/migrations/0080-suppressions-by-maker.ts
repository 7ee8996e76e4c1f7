import type { Migration } from './words.ts'

/** Several makers may suppress one address, each by a row of their own, since none may learn of another's (0220). */
export const migration: Migration = {
  name: '0080-suppressions-by-maker',
  up: () => [
    'drop index suppression_address',
    // Those that no member made count as made by the workspace: two nulls would be two makers.
    `create unique index suppression_address on suppression
       (workspace_id, address, coalesce(created_by, workspace_id))`,
  ],
  down: () => [
    `delete from suppression where exists (
       select 1 from suppression as other
       where other.workspace_id = suppression.workspace_id
         and other.address = suppression.address
         and other.id < suppression.id
     )`,
    'drop index suppression_address',
    'create unique index suppression_address on suppression (workspace_id, address)',
  ],
}
