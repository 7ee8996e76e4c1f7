import type { Words } from '../words.ts'

const webhooks = ({ boolean, document, integer, json, text, timestamp, uuid, wide }: Words): string[] => [
  // Who is told of which events. `actor` is whose view is sent; `secrets` are encrypted with the key that
  // `secrets_key` names, which is not in the database.
  `create table webhook (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    url ${text} not null,
    events ${json} not null,
    filter ${document},
    description ${text},
    ordered ${boolean} not null,
    enabled ${boolean} not null,
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
    warned_percent ${integer} not null default 0,
    fifo ${boolean} not null default false,
    follows_from ${integer},
    sends_from ${integer},
    enabled_by ${uuid},
    primary key (workspace_id, id)
  ) ${wide}`,
]

const deliveries = ({ document, integer, text, timestamp, uuid, wide }: Words): string[] => [
  // An event on its way to a webhook. A pending one without `due_at` waits for an earlier one of the same record;
  // `tries` and `began_at` count from when it was enqueued last, `attempts` from the beginning.
  `create table webhook_delivery (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    webhook_id ${uuid} not null,
    event_id ${uuid} not null,
    event_type ${text} not null,
    object ${text},
    record_id ${uuid},
    sequence ${integer} not null,
    state ${text} not null,
    due_at ${timestamp},
    attempts ${integer} not null,
    tries ${integer} not null,
    began_at ${timestamp},
    response_status ${integer},
    error ${text},
    created_at ${timestamp} not null,
    ended_at ${timestamp},
    caused_by ${document},
    primary key (workspace_id, id)
  ) ${wide}`,
  'create index webhook_delivery_list on webhook_delivery (workspace_id, webhook_id, created_at, id)',
  `create index webhook_delivery_due on webhook_delivery (workspace_id, webhook_id, due_at, sequence) where
    state = 'pending'`,
  `create index webhook_delivery_record on webhook_delivery (workspace_id, webhook_id, record_id, sequence)
    where state = 'pending'`,
  'create index webhook_delivery_age on webhook_delivery (created_at)',
  `create index webhook_delivery_order on webhook_delivery (workspace_id, webhook_id, sequence) where state =
    'pending'`,
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

const notifications = ({ integer, json, text, timestamp, uuid, wide }: Words): string[] => [
  // What members are notified of, and what they want to be notified of.
  `create table notification (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    user_id ${uuid} not null,
    notification_kind ${text} not null,
    object ${text} not null,
    record_id ${uuid} not null,
    comment_id ${uuid},
    run_id ${uuid},
    actor ${json} not null,
    read_at ${timestamp},
    created_at ${timestamp} not null,
    digested_at ${timestamp},
    primary key (workspace_id, id)
  ) ${wide}`,
  // A page of a person, newest first; ids begin with the time.
  'create index notification_of_user on notification (workspace_id, user_id, id)',
  'create index notification_unread on notification (workspace_id, user_id, id) where read_at is null',
  // Rows move and go with their record.
  'create index notification_of_record on notification (workspace_id, record_id)',
  // What is old is deleted.
  'create index notification_age on notification (created_at)',
  `create table notification_preference (
    workspace_id ${uuid} not null,
    user_id ${uuid} not null,
    muted ${json} not null,
    digest ${text} not null,
    digest_hour ${integer} not null,
    next_digest_at ${timestamp},
    last_digest_at ${timestamp},
    primary key (workspace_id, user_id)
  ) ${wide}`,
  'create index notification_digest on notification_preference (next_digest_at) where next_digest_at is not null',
]

/** The tables of e-mails and deliveries. */
export const sendingTables = (words: Words): string[] => [
  ...webhooks(words),
  ...deliveries(words),
  ...notifications(words),
]
