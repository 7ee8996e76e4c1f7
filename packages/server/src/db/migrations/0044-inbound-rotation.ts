import type { Migration } from './words.ts'

/** How often the address for inbound e-mail has been replaced by another. */
export const migration: Migration = {
  name: '0044-inbound-rotation',
  up: ({ integer }) => [`alter table workspace add column inbound_rotation ${integer} not null default 0`],
  down: () => ['alter table workspace drop column inbound_rotation'],
}
