import type { Migration } from './words.ts'

/** How many recipients the plain workflows of a workspace have e-mailed on its last day with any. */
export const migration: Migration = {
  name: '0074-emails-of-a-day',
  up: ({ uuid, text, integer, narrow }) => [
    `create table email_day (
      workspace_id ${uuid} not null,
      day ${text} not null,
      taken ${integer} not null,
      primary key (workspace_id)
    ) ${narrow}`,
  ],
  down: () => ['drop table email_day'],
}
