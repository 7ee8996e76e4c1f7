import type { Migration, Words } from './words.ts'

/**
 * When a job is due, how it is scheduled fairly, and its failures (docs/decisions/0044). The old table was never
 * written to.
 */
const jobs = ({ uuid, text, integer, json, timestamp, wide }: Words): string[] => [
  'drop table job',
  `create table job (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    kind ${text} not null,
    job_key ${text},
    payload ${json} not null,
    run_at ${timestamp} not null,
    scheduled_at ${timestamp} not null,
    wanted_at ${timestamp},
    attempt ${integer} not null,
    failures ${integer} not null,
    leased_at ${timestamp},
    leased_by ${text},
    last_error ${text},
    created_at ${timestamp} not null,
    ended_at ${timestamp},
    primary key (workspace_id, id)
  ) ${wide}`,
  'create unique index job_keyed on job (workspace_id, kind, job_key) where ended_at is null and job_key is not null',
  'create index job_due on job (run_at) where ended_at is null and leased_by is null',
  // For fair scheduling: each workspace with its next job, however many it has.
  'create index job_turn on job (workspace_id, run_at, id) where ended_at is null and leased_by is null',
  // Jobs whose scheduling time lies in the future because the clock was set back.
  'create index job_scheduled on job (scheduled_at) where ended_at is null and leased_by is null',
  'create index job_leased on job (workspace_id, id) where leased_by is not null',
  'create index job_ended on job (ended_at) where ended_at is not null',
]

const eventColumns = ({ uuid, text, json, boolean, timestamp }: Words): string => `id ${uuid} not null,
    type ${text} not null,
    object ${text},
    record_id ${uuid},
    actor ${json} not null,
    silent ${boolean} not null,
    payload ${json} not null,
    created_at ${timestamp} not null,`

/** Microseconds since 1970 by the clock of the database, which all nodes share. */
const nowMicroseconds = {
  postgres: '(extract(epoch from clock_timestamp()) * 1000000)::bigint',
  sqlite: "cast(unixepoch('subsec') * 1000000 as integer)",
}

/**
 * Events in the order of their numbers. Where writers run concurrently they write to the outbox, and committed events
 * move into the log; updating them in place would cost twice as much, and leave the dead rows in a large table.
 */
const log = (words: Words): string[] => [
  `create table event (
    workspace_id ${words.uuid} not null,
    sequence ${words.integer} not null,
    ${eventColumns(words)}
    primary key (workspace_id, sequence)
  ) ${words.wide}`,
  `create table event_head (
    workspace_id ${words.uuid} not null,
    last_sequence ${words.integer} not null,
    primary key (workspace_id)
  ) ${words.narrow}`,
  'insert into event select workspace_id, row_number() over (partition by workspace_id order by id), id, ' +
    'type, object, record_id, actor, silent, payload, created_at from outbox',
  'insert into event_head select workspace_id, count(*) from outbox group by workspace_id',
]

const outbox = (words: Words): string[] => [
  'drop table outbox',
  `create table outbox (
    workspace_id ${words.uuid} not null,
    written_us ${words.integer} not null default (${nowMicroseconds[words.dialect]}),
    ${eventColumns(words)}
    primary key (workspace_id, written_us, id)
  ) ${words.wide}`,
]

const outboxBefore = (words: Words): string[] => [
  'drop table outbox',
  `create table outbox (
    workspace_id ${words.uuid} not null,
    sequence ${words.integer},
    ${eventColumns(words)}
    primary key (workspace_id, id)
  ) ${words.wide}`,
  'create unique index outbox_sequence on outbox (workspace_id, sequence) where sequence is not null',
  'create index outbox_unsequenced on outbox (workspace_id, id) where sequence is null',
  'insert into outbox select workspace_id, null, id, type, object, record_id, actor, silent, payload, ' +
    'created_at from event',
  'drop table event_head',
  'drop table event',
]

const jobsBefore = ({ uuid, text, integer, json, timestamp, wide }: Words): string[] => [
  'drop table job',
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
  name: '0007-jobs',
  up: (words) => [...jobs(words), ...log(words), ...outbox(words)],
  down: (words) => [...outboxBefore(words), ...jobsBefore(words)],
}
