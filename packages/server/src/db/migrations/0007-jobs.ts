import type { Migration, Words } from './words.ts'

/** How long a job has waited, whose turn it is, and what has gone wrong (docs/decisions/0044). Nobody has written the old table yet. */
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
  // Whose turn it is: each workspace with its next job, however many it has.
  'create index job_turn on job (workspace_id, run_at, id) where ended_at is null and leased_by is null',
  // Jobs that were scheduled in what is the future since the clock was set back.
  'create index job_scheduled on job (scheduled_at) where ended_at is null and leased_by is null',
  'create index job_leased on job (workspace_id, id) where leased_by is not null',
  'create index job_ended on job (ended_at) where ended_at is not null',
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
  up: (words) => jobs(words),
  down: (words) => jobsBefore(words),
}
