import type { Migration, Words } from './words.ts'

/** Stands for all workspaces of a person where the key of a row needs a value. */
const everyWorkspace = "'00000000-0000-0000-0000-000000000000'"

const no = ({ dialect }: Words): string => (dialect === 'postgres' ? 'false' : '0')

/**
 * Accounts whose holder has never verified the address, and the links that can verify it. Earlier links count as handed
 * on.
 */
const addresses = (words: Words): string[] => [
  `alter table app_user add column unverified_since ${words.timestamp}`,
  `alter table password_link add column verifies ${words.boolean} not null default ${no(words)}`,
  `alter table invitation add column mailed ${words.boolean} not null default ${no(words)}`,
]

/** Apps that belong to a workspace, and what an app may ask for: null is everything. */
const apps = ({ uuid, json }: Words): string[] => [
  `alter table oauth_client add column workspace_id ${uuid}`,
  `alter table oauth_client add column scopes ${json}`,
  'create unique index oauth_client_name on oauth_client (workspace_id, name) where workspace_id is not null',
  // For grants: the one workspace that a person let the app into; null is all of theirs.
  `alter table oauth_artifact add column workspace_id ${uuid}`,
]

/** The primary key changes, so the rows are put aside meanwhile. */
const consents = ({ uuid, json, timestamp, wide }: Words, key: readonly string[], kept: string): string[] => [
  'create table oauth_consent_kept as select * from oauth_consent',
  'drop table oauth_consent',
  `create table oauth_consent (
    user_id ${uuid} not null,
    client_id ${uuid} not null,${key.includes('workspace_id') ? `\n    workspace_id ${uuid} not null,` : ''}
    scopes ${json} not null,
    created_at ${timestamp} not null,
    updated_at ${timestamp} not null,
    last_used_at ${timestamp},
    primary key (${key.join(', ')})
  ) ${wide}`,
  `insert into oauth_consent (${[...key, 'scopes', 'created_at', 'updated_at', 'last_used_at'].join(', ')}) ${kept}`,
  'drop table oauth_consent_kept',
]

const columnsOfBefore = 'scopes, created_at, updated_at, last_used_at from oauth_consent_kept'

export const migration: Migration = {
  name: '0020-identity',
  up: (words) => [
    ...addresses(words),
    ...apps(words),
    ...consents(
      words,
      ['user_id', 'client_id', 'workspace_id'],
      'select user_id, client_id, ' +
        `${words.dialect === 'postgres' ? `${everyWorkspace}::uuid` : everyWorkspace}, ${columnsOfBefore}`,
    ),
  ],
  down: (words) => [
    // A person who let an app into one workspace has not let it into all, and the version before knows no other
    // consent.
    'delete from oauth_artifact where workspace_id is not null',
    'delete from oauth_client where workspace_id is not null or scopes is not null',
    ...consents(
      words,
      ['user_id', 'client_id'],
      `select user_id, client_id, ${columnsOfBefore} where workspace_id = ${everyWorkspace}`,
    ),
    'alter table oauth_artifact drop column workspace_id',
    'drop index oauth_client_name',
    ...['workspace_id', 'scopes'].map((column) => `alter table oauth_client drop column ${column}`),
    'alter table invitation drop column mailed',
    'alter table password_link drop column verifies',
    'alter table app_user drop column unverified_since',
  ],
}
