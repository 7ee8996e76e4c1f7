import type { Words } from '../words.ts'

const definitions = ({
  boolean,
  document,
  float,
  integer,
  json,
  narrow,
  text,
  timestamp,
  uuid,
  wide,
}: Words): string[] => [
  // A workflow, and the graphs that it has had. `actor` says as whom it runs and with which scopes; `version`
  // counts changes of the row, `graph_version` those of the graph.
  `create table workflow (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    name ${text} not null,
    description ${text} not null,
    type ${text} not null,
    enabled ${boolean} not null,
    published_at ${timestamp},
    trigger_plugin ${text} not null,
    version ${integer} not null,
    graph_version ${integer} not null,
    owner_id ${uuid} not null,
    actor ${json} not null,
    stopped_reason ${text},
    secret ${json},
    created_at ${timestamp} not null,
    created_by ${uuid} not null,
    updated_at ${timestamp} not null,
    updated_by ${uuid} not null,
    secret_key ${text},
    address_rotation ${integer} not null default 0,
    primary key (workspace_id, id)
  ) ${wide}`,
  'create index workflow_enabled on workflow (workspace_id, trigger_plugin) where enabled',
  `create table workflow_version (
    workspace_id ${uuid} not null,
    workflow_id ${uuid} not null,
    version ${integer} not null,
    graph ${document} not null,
    created_at ${timestamp} not null,
    created_by ${uuid} not null,
    primary key (workspace_id, workflow_id, version)
  ) ${wide}`,
  // When the next run of a workflow may begin, where its runs in a minute are limited.
  `create table workflow_pace (
    workspace_id ${uuid} not null,
    workflow_id ${uuid} not null,
    begins_at ${float} not null,
    primary key (workspace_id, workflow_id)
  ) ${narrow}`,
]

const runs = ({ boolean, document, integer, json, text, timestamp, uuid, wide }: Words): string[] => [
  // A run: what began it (`trigger_state`), where it is (`current_block`, `block_progress`), and how it ended. Each
  // change increments `revision`, by which two that change a run at once find each other.
  `create table workflow_run (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    workflow_id ${uuid} not null,
    graph_version ${integer} not null,
    run_status ${text} not null,
    revision ${integer} not null,
    dry_run ${boolean} not null,
    object ${text},
    record_id ${uuid},
    event_id ${uuid},
    depth ${integer} not null,
    trigger_state ${document} not null,
    current_block ${text},
    block_progress ${document} not null,
    resume_at ${timestamp},
    exit_plugin ${text},
    exit_node ${text},
    suppressed_reason ${text},
    failure ${document},
    started_at ${timestamp},
    ended_at ${timestamp},
    created_at ${timestamp} not null,
    updated_at ${timestamp} not null,
    is_enrolment ${boolean} not null default false,
    acting_id ${uuid},
    acting ${json},
    held_reason ${text},
    primary key (workspace_id, id)
  ) ${wide}`,
  `create index workflow_run_of_record on workflow_run (workspace_id, workflow_id, record_id, id) where
    record_id is not null`,
  'create index workflow_run_ended on workflow_run (workspace_id, ended_at) where ended_at is not null',
  'create index workflow_run_in_order on workflow_run (workspace_id, workflow_id, id, acting_id)',
  'create index workflow_run_of_workflow on workflow_run (workspace_id, workflow_id, run_status, id, acting_id)',
  `create table workflow_step (
    workspace_id ${uuid} not null,
    run_id ${uuid} not null,
    number ${integer} not null,
    block ${text} not null,
    plugin ${text} not null,
    step_status ${text} not null,
    attempts ${integer} not null,
    input ${document},
    output ${document},
    failure ${document},
    logs ${document} not null,
    started_at ${timestamp} not null,
    ended_at ${timestamp},
    unresolved ${document},
    output_bytes ${integer},
    contents_bytes ${integer},
    primary key (workspace_id, run_id, number)
  ) ${wide}`,
]

const waiting = ({ boolean, document, integer, json, narrow, text, timestamp, uuid, wide }: Words): string[] => [
  `create table workflow_wait (
    workspace_id ${uuid} not null,
    run_id ${uuid} not null,
    node ${text} not null,
    is_exit ${boolean} not null,
    plugin ${text} not null,
    record_id ${uuid},
    primary key (workspace_id, run_id, node)
  ) ${narrow}`,
  'create index workflow_wait_for on workflow_wait (workspace_id, plugin, record_id)',
  // Requests to the address of a workflow, by the id that their sender gave them: each begins one run.
  `create table workflow_arrival (
    workspace_id ${uuid} not null,
    workflow_id ${uuid} not null,
    sender_key ${text} not null,
    created_at ${timestamp} not null,
    primary key (workspace_id, workflow_id, sender_key)
  ) ${narrow}`,
  'create index workflow_arrival_age on workflow_arrival (workspace_id, created_at)',
  // Which run of an agent an event comes from, and how far runs have been undone.
  `create table agent_undo (
    workspace_id ${uuid} not null,
    run_id ${uuid} not null,
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
    primary key (workspace_id, run_id)
  ) ${wide}`,
]

/** Workflows and their runs. */
export const workflowsTables = (words: Words): string[] => [...definitions(words), ...runs(words), ...waiting(words)]
