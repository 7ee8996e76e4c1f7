import type { Migration } from './words.ts'

const indexes = {
  workflow_run_in_order: 'workspace_id, workflow_id, id',
  workflow_run_of_workflow: 'workspace_id, workflow_id, run_status, id',
}

const made = (more: string): string[] =>
  Object.entries(indexes).flatMap(([name, columns]) => [
    `drop index ${name}`,
    `create index ${name} on workflow_run (${columns}${more})`,
  ])

/** As whom a run is stands in the indexes of lists: a member's page and total read no other rows of a million runs. */
export const migration: Migration = {
  name: '0065-runs-by-actor',
  up: () => made(', acting_id'),
  down: () => made(''),
}
