import type { Migration } from './words.ts'

/** Why a run is held: whom it acts for has left, or may less. */
export const migration: Migration = {
  name: '0077-held-runs',
  up: ({ text }) => [`alter table workflow_run add column held_reason ${text}`],
  down: () => ['alter table workflow_run drop column held_reason'],
}
