import type { Migration } from './words.ts'

/** How often the address of a workflow or an agent has been replaced by another. */
export const migration: Migration = {
  name: '0046-address-rotation',
  up: ({ integer }) => [`alter table workflow add column address_rotation ${integer} not null default 0`],
  down: () => ['alter table workflow drop column address_rotation'],
}
