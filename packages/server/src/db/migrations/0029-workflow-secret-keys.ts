import type { Migration } from './words.ts'

/** Which key has encrypted the secret of a workflow, so that what an old key has encrypted can be found. */
export const migration: Migration = {
  name: '0029-workflow-secret-keys',
  up: ({ text }) => [`alter table workflow add column secret_key ${text}`],
  down: () => ['alter table workflow drop column secret_key'],
}
