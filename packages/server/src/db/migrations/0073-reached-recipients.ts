import type { Migration } from './words.ts'

/** Those of several recipients whose copy of a letter the mail server has taken: each gets one of their own. */
export const migration: Migration = {
  name: '0073-reached-recipients',
  up: ({ json }) => [`alter table email add column reached ${json} not null default '[]'`],
  down: () => ['alter table email drop column reached'],
}
