import type { Migration } from './words.ts'

/** For whom a workflow or an agent has done something, and that it wrote a comment; nothing of what a person did. */
export const migration: Migration = {
  name: '0076-who-did-it',
  up: ({ json }) => [
    `alter table activity add column on_behalf_of ${json}`,
    `alter table comment add column author ${json}`,
  ],
  down: () => ['alter table comment drop column author', 'alter table activity drop column on_behalf_of'],
}
