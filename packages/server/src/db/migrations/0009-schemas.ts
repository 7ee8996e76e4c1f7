import type { Migration, Words } from './words.ts'

/** Under which names the values of an object are stored; `{}` where everything is stored as it is called. */
const keys = ({ document, timestamp }: Words): string[] => [
  `alter table schema_version add column keys ${document} not null default '{}'`,
  // The last state of an object that is gone.
  `alter table schema_version add column deleted_at ${timestamp}`,
]

export const migration: Migration = {
  name: '0009-schemas',
  up: (words) => keys(words),
  down: () => ['alter table schema_version drop column deleted_at', 'alter table schema_version drop column keys'],
}
