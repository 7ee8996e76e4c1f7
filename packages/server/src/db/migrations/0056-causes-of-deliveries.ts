import type { Migration } from './words.ts'

/** The workflow that did what a webhook tells of, and how deep in a chain it was. */
export const migration: Migration = {
  name: '0056-causes-of-deliveries',
  up: ({ document }) => [`alter table webhook_delivery add column caused_by ${document}`],
  down: () => ['alter table webhook_delivery drop column caused_by'],
}
