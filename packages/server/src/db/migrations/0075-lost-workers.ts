import type { Migration } from './words.ts'

/** Whether a process was lost with the work that a job is at (1), and whether that work was begun again since (2). */
export const migration: Migration = {
  name: '0075-lost-workers',
  up: ({ integer }) => [`alter table job add column losses ${integer} not null default 0`],
  down: () => ['alter table job drop column losses'],
}
