import type { Words } from '../words.ts'

const workspaces = ({ integer, json, text, timestamp, uuid, wide }: Words): string[] => [
  // The three tables that belong to no workspace: the directory in which callers and workspaces are found.
  `create table workspace (
    id ${uuid} not null,
    organization_id ${uuid} not null,
    slug ${text} not null,
    name ${text} not null,
    schema_epoch ${integer} not null,
    created_at ${timestamp} not null,
    settings ${json} not null default '{}',
    inbound_rotation ${integer} not null default 0,
    primary key (id)
  ) ${wide}`,
  'create unique index workspace_slug on workspace (slug)',
]

const schemas = ({ boolean, document, integer, text, timestamp, uuid, wide }: Words): string[] => [
  `create table schema_version (
    workspace_id ${uuid} not null,
    object ${text} not null,
    version ${integer} not null,
    document ${document} not null,
    created_at ${timestamp} not null,
    created_by ${uuid},
    keys ${document} not null default '{}',
    deleted_at ${timestamp},
    primary key (workspace_id, object, version)
  ) ${wide}`,
  // Changes of schemas that were accepted while another one was under way, in the order of their places.
  `create table schema_queue (
    workspace_id ${uuid} not null,
    task_id ${uuid} not null,
    place ${integer} not null,
    objects ${document} not null,
    request ${document} not null,
    created_at ${timestamp} not null,
    primary key (workspace_id, task_id)
  ) ${wide}`,
  // The pending version of an object that is being changed; while the row exists, no other change may touch the
  // object.
  `create table schema_target (
    workspace_id ${uuid} not null,
    object ${text} not null,
    task_id ${uuid} not null,
    target_state ${text} not null,
    target ${document} not null,
    target_keys ${document} not null,
    target_version ${integer} not null,
    gone ${boolean} not null,
    clearing ${document},
    created_at ${timestamp} not null,
    primary key (workspace_id, object)
  ) ${wide}`,
  'create index schema_target_task on schema_target (workspace_id, task_id)',
]

/** Workspaces and their schemas. */
export const workspacesTables = (words: Words): string[] => [...workspaces(words), ...schemas(words)]
