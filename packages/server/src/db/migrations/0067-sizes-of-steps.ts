import type { Migration } from './words.ts'

/** How large the contents of a step are: a run reads outputs when a node names them, and shows what fits a response. */
export const migration: Migration = {
  name: '0067-sizes-of-steps',
  up: ({ integer }) => [
    `alter table workflow_step add column output_bytes ${integer}`,
    `alter table workflow_step add column contents_bytes ${integer}`,
  ],
  down: () => [
    'alter table workflow_step drop column contents_bytes',
    'alter table workflow_step drop column output_bytes',
  ],
}
