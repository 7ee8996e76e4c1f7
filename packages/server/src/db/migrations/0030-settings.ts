import type { Migration } from './words.ts'

/** What a workspace has set, by its key; what is not there has its default. */
export const migration: Migration = {
  name: '0030-settings',
  up: ({ json }) => [`alter table workspace add column settings ${json} not null default '{}'`],
  down: () => ['alter table workspace drop column settings'],
}
