import type { Migration, Words } from './words.ts'

const changes = ({ uuid, text, integer, boolean, json, timestamp, wide }: Words): string[] => [
  `create table outbox (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    sequence ${integer},
    type ${text} not null,
    object ${text},
    record_id ${uuid},
    actor ${json} not null,
    silent ${boolean} not null,
    payload ${json} not null,
    created_at ${timestamp} not null,
    primary key (workspace_id, id)
  ) ${wide}`,
  // The sequence is given after the commit: given before it, a reader could pass a number that commits later.
  'create unique index outbox_sequence on outbox (workspace_id, sequence) where sequence is not null',
  'create index outbox_unsequenced on outbox (workspace_id, id) where sequence is null',
  `create table activity (
    workspace_id ${uuid} not null,
    record_id ${uuid} not null,
    id ${uuid} not null,
    type ${text} not null,
    object ${text} not null,
    actor ${json} not null,
    diff ${json},
    created_at ${timestamp} not null,
    primary key (workspace_id, record_id, id)
  ) ${wide}`,
]

const requests = ({ uuid, text, integer, document, timestamp, wide }: Words): string[] => [
  `create table idempotency (
    workspace_id ${uuid} not null,
    actor_id ${text} not null,
    endpoint ${text} not null,
    idempotency_key ${text} not null,
    request_hash ${text} not null,
    status ${integer},
    body ${document},
    headers ${document},
    created_at ${timestamp} not null,
    primary key (workspace_id, actor_id, endpoint, idempotency_key)
  ) ${wide}`,
  // The clean-up goes by age through all workspaces at once; so does the claim of the next jobs.
  'create index idempotency_created on idempotency (created_at)',
]

const jobs = ({ uuid, text, integer, json, timestamp, wide }: Words): string[] => [
  `create table job (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    kind ${text} not null,
    payload ${json} not null,
    run_at ${timestamp} not null,
    attempt ${integer} not null,
    lease_until ${timestamp},
    leased_by ${text},
    last_error ${text},
    created_at ${timestamp} not null,
    ended_at ${timestamp},
    primary key (workspace_id, id)
  ) ${wide}`,
  'create index job_waiting on job (run_at) where ended_at is null',
]

export const migration: Migration = {
  name: '0004-flow',
  up: (words) => [...changes(words), ...requests(words), ...jobs(words)],
  down: () => ['job', 'idempotency', 'activity', 'outbox'].map((table) => `drop table ${table}`),
}
