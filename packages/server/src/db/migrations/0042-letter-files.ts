import type { Migration } from './words.ts'

/** The files that letters carry. */
export const migration: Migration = {
  name: '0042-letter-files',
  up: ({ json }) => [`alter table email add column files ${json} not null default '[]'`],
  down: () => ['alter table email drop column files'],
}
