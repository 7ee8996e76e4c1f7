import type { Words } from '../words.ts'

const jobs = ({ integer, json, text, timestamp, uuid, wide }: Words): string[] => [
  // When a job is due, how it is scheduled fairly, and its failures (docs/decisions/0044).
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
    watched_ms ${integer},
    losses ${integer} not null default 0,
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

const tasks = ({ document, integer, text, timestamp, uuid, wide }: Words): string[] => [
  `create table async_task (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    user_id ${uuid} not null,
    type ${text} not null,
    progress ${integer} not null,
    total ${integer},
    metadata ${document} not null,
    queued_at ${timestamp} not null,
    started_at ${timestamp},
    completed_at ${timestamp},
    failed_at ${timestamp},
    error_code ${text},
    updated_at ${timestamp} not null,
    primary key (workspace_id, id)
  ) ${wide}`,
  // Ended tasks are deleted by age, across all workspaces at once.
  'create index async_task_queued on async_task (queued_at)',
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
  // Files, whose bytes are elsewhere, and those that are attached to records.
  `create table file (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    subject_id ${uuid} not null,
    name ${text} not null,
    upload_key ${text} not null,
    size_bytes ${integer},
    mime_type ${text},
    created_at ${timestamp} not null,
    discard_at ${timestamp},
    primary key (workspace_id, id)
  ) ${wide}`,
  'create index file_discard on file (discard_at, workspace_id) where discard_at is not null',
]

const imports = ({ boolean, document, integer, json, text, timestamp, uuid, wide }: Words): string[] => [
  // Imports of files, how far they are, and the rows that they rejected (0362).
  `create table record_import (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    object ${text} not null,
    file_id ${uuid} not null,
    file_name ${text} not null,
    file_bytes ${integer} not null,
    shape ${document} not null,
    options ${document} not null,
    actor ${json} not null,
    silent ${boolean} not null,
    state ${text} not null,
    position ${integer} not null,
    line ${integer} not null,
    rows_total ${integer},
    rows_done ${integer} not null,
    created ${integer} not null,
    updated ${integer} not null,
    unchanged ${integer} not null,
    rejected ${integer} not null,
    error ${text},
    created_at ${timestamp} not null,
    created_by ${uuid} not null,
    started_at ${timestamp},
    ended_at ${timestamp},
    primary key (workspace_id, id)
  ) ${wide}`,
  'create index import_ended on record_import (ended_at)',
  `create table import_reject (
    workspace_id ${uuid} not null,
    import_id ${uuid} not null,
    line ${integer} not null,
    cells ${document} not null,
    reason ${text} not null,
    primary key (workspace_id, import_id, line)
  ) ${wide}`,
  // The progress of the revert of an import (0362).
  `create table import_revert (
    workspace_id ${uuid} not null,
    import_id ${uuid} not null,
    undo_state ${text} not null,
    actor ${json} not null,
    silent ${boolean} not null,
    undone_to ${json},
    events_seen ${integer} not null,
    events_reverted ${integer} not null,
    conflicts ${document} not null,
    conflict_count ${integer} not null,
    created_at ${timestamp} not null,
    created_by ${uuid} not null,
    ended_at ${timestamp},
    primary key (workspace_id, import_id)
  ) ${wide}`,
]

/** Work that goes on beside the calls. */
export const workTables = (words: Words): string[] => [...jobs(words), ...tasks(words), ...imports(words)]
