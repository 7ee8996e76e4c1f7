import type { Migration } from './words.ts'

/** What is known of processes that were lost with the work that a job is at. */
export const migration: Migration = {
  name: '0075-lost-workers',
  up: ({ integer }) => [`alter table job add column losses ${integer} not null default 0`],
  down: () => ['alter table job drop column losses'],
}
