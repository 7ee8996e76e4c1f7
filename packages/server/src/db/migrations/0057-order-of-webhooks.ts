import type { Migration } from './words.ts'

/** True if a webhook sends all of its events one after another, and the index that finds the next one. */
export const migration: Migration = {
  name: '0057-order-of-webhooks',
  up: ({ boolean, dialect }) => [
    `alter table webhook add column fifo ${boolean} not null default ${dialect === 'sqlite' ? '0' : 'false'}`,
    `create index webhook_delivery_order on webhook_delivery (workspace_id, webhook_id, sequence)
      where state = 'pending'`,
  ],
  down: () => ['drop index webhook_delivery_order', 'alter table webhook drop column fifo'],
}
