import type { Migration } from './words.ts'

/** The runs of a workflow in the order in which they began: without it, a page of them sorts all of them. */
export const migration: Migration = {
  name: '0033-runs-in-order',
  up: () => ['create index workflow_run_in_order on workflow_run (workspace_id, workflow_id, id)'],
  down: () => ['drop index workflow_run_in_order'],
}
