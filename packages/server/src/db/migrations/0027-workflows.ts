import type { Migration, Words } from './words.ts'

/**
 * A workflow, and the graphs that it has had. `actor` says as whom it runs and with which scopes; `version` counts
 * changes of the row, `graph_version` those of the graph.
 */
const workflows = ({ uuid, text, integer, boolean, json, document, timestamp, wide }: Words): string[] => [
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
]

/** When the next run of a workflow may begin, where its runs in a minute are limited. */
const paces = ({ uuid, float, narrow }: Words): string[] => [
  `create table workflow_pace (
    workspace_id ${uuid} not null,
    workflow_id ${uuid} not null,
    begins_at ${float} not null,
    primary key (workspace_id, workflow_id)
  ) ${narrow}`,
]

/**
 * A run: what began it (`trigger_state`), where it is (`current_block`, `block_progress`), and how it ended. Each
 * change increments `revision`, by which two that change a run at once find each other.
 */
const runs = ({ uuid, text, integer, boolean, document, timestamp, wide, narrow }: Words): string[] => [
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
    primary key (workspace_id, id)
  ) ${wide}`,
  'create index workflow_run_of_workflow on workflow_run (workspace_id, workflow_id, run_status, id)',
  `create index workflow_run_of_record on workflow_run (workspace_id, workflow_id, record_id, id)
    where record_id is not null`,
  'create index workflow_run_ended on workflow_run (workspace_id, ended_at) where ended_at is not null',
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
    primary key (workspace_id, run_id, number)
  ) ${wide}`,
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
]

/** Requests to the address of a workflow, by the id that their sender gave them: each begins one run. */
const arrivals = ({ uuid, text, timestamp, narrow }: Words): string[] => [
  `create table workflow_arrival (
    workspace_id ${uuid} not null,
    workflow_id ${uuid} not null,
    sender_key ${text} not null,
    created_at ${timestamp} not null,
    primary key (workspace_id, workflow_id, sender_key)
  ) ${narrow}`,
  'create index workflow_arrival_age on workflow_arrival (workspace_id, created_at)',
]

export const migration: Migration = {
  name: '0027-workflows',
  up: (words) => [...workflows(words), ...paces(words), ...runs(words), ...arrivals(words)],
  down: () => [
    "delete from job where kind like 'workflows.%'",
    "delete from record_count where object like 'runs/%'",
    "delete from record_count_delta where object like 'runs/%'",
    'drop table workflow_arrival',
    'drop table workflow_wait',
    'drop table workflow_step',
    'drop table workflow_run',
    'drop table workflow_pace',
    'drop table workflow_version',
    'drop table workflow',
  ],
}
