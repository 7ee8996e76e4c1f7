import type { Migration } from './words.ts'

/** The number of linked records that an import has created, by object (0362). */
export const migration: Migration = {
  name: '0129-linked-records-of-imports',
  up: ({ json }) => [`alter table record_import add column created_linked ${json} not null default '{}'`],
  down: () => ['alter table record_import drop column created_linked'],
}
