import type { Migration, Words } from './words.ts'

// No table has foreign keys: across workspaces they would keep the schema from being sharded by workspace, and
// inside one they would cost a lookup a row on the hottest inserts for rules that the stores keep anyway.

/** The three tables that belong to no workspace: the directory in which callers and workspaces are found. */
const directory = ({ uuid, text, integer, json, timestamp, wide }: Words): string[] => [
  `create table workspace (
    id ${uuid} not null,
    organization_id ${uuid} not null,
    slug ${text} not null,
    name ${text} not null,
    schema_epoch ${integer} not null,
    created_at ${timestamp} not null,
    primary key (id)
  ) ${wide}`,
  'create unique index workspace_slug on workspace (slug)',
  `create table app_user (
    id ${uuid} not null,
    email ${text} not null,
    email_key ${text} not null,
    name ${text},
    created_at ${timestamp} not null,
    last_active_at ${timestamp},
    primary key (id)
  ) ${wide}`,
  'create unique index app_user_email_key on app_user (email_key)',
  `create table signing_key (
    kid ${text} not null,
    private_jwk ${json} not null,
    created_at ${timestamp} not null,
    primary key (kid)
  ) ${wide}`,
]

const callers = ({ uuid, text, json, timestamp, narrow, wide }: Words): string[] => [
  `create table membership (
    workspace_id ${uuid} not null,
    user_id ${uuid} not null,
    role ${text} not null,
    created_at ${timestamp} not null,
    primary key (workspace_id, user_id)
  ) ${narrow}`,
  'create index membership_user on membership (user_id)',
  `create table api_key (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    name ${text} not null,
    key_prefix ${text} not null,
    key_hash ${text} not null,
    previous_hash ${text},
    previous_valid_until ${timestamp},
    scopes ${json} not null,
    actor_type ${text} not null,
    user_id ${uuid},
    created_by ${uuid},
    expires_at ${timestamp},
    created_at ${timestamp} not null,
    updated_at ${timestamp} not null,
    last_used_at ${timestamp},
    primary key (workspace_id, id)
  ) ${wide}`,
  // A request brings only the key, so these two lookups cannot start with the workspace.
  'create unique index api_key_hash on api_key (key_hash)',
  'create index api_key_previous_hash on api_key (previous_hash) where previous_hash is not null',
]

const schemas = ({ uuid, text, integer, document, timestamp, wide }: Words): string[] => [
  `create table schema_version (
    workspace_id ${uuid} not null,
    object ${text} not null,
    version ${integer} not null,
    document ${document} not null,
    created_at ${timestamp} not null,
    created_by ${uuid},
    primary key (workspace_id, object, version)
  ) ${wide}`,
]

export const migration: Migration = {
  name: '0002-workspaces',
  up: (words) => [...directory(words), ...callers(words), ...schemas(words)],
  down: () =>
    ['schema_version', 'api_key', 'membership', 'signing_key', 'app_user', 'workspace'].map(
      (table) => `drop table ${table}`,
    ),
}
