import type { Migration } from './words.ts'

/** What a delivery sends is made of its event when it is sent, and stored once, in the log. */
export const migration: Migration = {
  name: '0069-deliveries-without-bodies',
  up: () => ['alter table webhook_delivery drop column request_body'],
  down: ({ text }) => [`alter table webhook_delivery add column request_body ${text} not null default ''`],
}
