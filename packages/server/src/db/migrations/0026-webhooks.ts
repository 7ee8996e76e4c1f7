import type { Migration, Words } from './words.ts'

/**
 * Who is told of which events. `actor` is whose view is sent; `secrets` are encrypted with the key that `secrets_key`
 * names, which is not in the database.
 */
const webhooks = ({ uuid, text, integer, boolean, json, document, timestamp, wide }: Words): string[] => [
  `create table webhook (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    url ${text} not null,
    events ${json} not null,
    filter ${document},
    description ${text},
    ordered ${boolean} not null,
    enabled ${boolean} not null,
    enabled_at ${timestamp} not null,
    disabled_reason ${text},
    disabled_at ${timestamp},
    failing_since ${timestamp},
    failures ${integer} not null,
    paused_until ${timestamp},
    secrets ${json} not null,
    secrets_key ${text} not null,
    old_secret_until ${timestamp},
    actor ${json} not null,
    owner_id ${uuid},
    created_at ${timestamp} not null,
    created_by ${uuid} not null,
    updated_at ${timestamp} not null,
    primary key (workspace_id, id)
  ) ${wide}`,
]

/**
 * An event on its way to a webhook. A pending one without `due_at` waits for an earlier one of the same record;
 * `tries` and `began_at` count from when it was enqueued last, `attempts` from the beginning.
 */
const deliveries = ({ uuid, text, integer, timestamp, wide }: Words): string[] => [
  `create table webhook_delivery (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    webhook_id ${uuid} not null,
    event_id ${uuid} not null,
    event_type ${text} not null,
    object ${text},
    record_id ${uuid},
    sequence ${integer} not null,
    request_body ${text} not null,
    state ${text} not null,
    due_at ${timestamp},
    attempts ${integer} not null,
    tries ${integer} not null,
    began_at ${timestamp},
    response_status ${integer},
    error ${text},
    created_at ${timestamp} not null,
    ended_at ${timestamp},
    primary key (workspace_id, id)
  ) ${wide}`,
  'create index webhook_delivery_list on webhook_delivery (workspace_id, webhook_id, created_at, id)',
  `create index webhook_delivery_due on webhook_delivery (workspace_id, webhook_id, due_at, sequence)
    where state = 'pending'`,
  `create index webhook_delivery_record on webhook_delivery (workspace_id, webhook_id, record_id, sequence)
    where state = 'pending'`,
  'create index webhook_delivery_age on webhook_delivery (created_at)',
]

const attempts = ({ uuid, text, integer, document, timestamp, wide }: Words): string[] => [
  `create table webhook_attempt (
    workspace_id ${uuid} not null,
    delivery_id ${uuid} not null,
    number ${integer} not null,
    at ${timestamp} not null,
    duration_ms ${integer} not null,
    request_headers ${document} not null,
    response ${document},
    reason ${text},
    detail ${text},
    primary key (workspace_id, delivery_id, number)
  ) ${wide}`,
  'create index webhook_attempt_age on webhook_attempt (at)',
]

export const migration: Migration = {
  name: '0026-webhooks',
  up: (words) => [...webhooks(words), ...deliveries(words), ...attempts(words)],
  down: () => [
    "delete from job where kind like 'webhooks.%'",
    "delete from event_cursor where consumer = 'webhooks'",
    'drop table webhook_attempt',
    'drop table webhook_delivery',
    'drop table webhook',
  ],
}
