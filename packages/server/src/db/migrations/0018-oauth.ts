import type { Migration, Words } from './words.ts'

// These belong to no workspace: an app acts for a person, in whichever workspaces that person is a member of.

const clients = ({ uuid, text, json, timestamp, wide }: Words): string[] => [
  `create table oauth_client (
    id ${uuid} not null,
    name ${text} not null,
    client_type ${text} not null,
    secret_hash ${text},
    redirect_uris ${json} not null,
    created_at ${timestamp} not null,
    primary key (id)
  ) ${wide}`,
]

/** A person's consent to an app, until they revoke it. */
const consents = ({ uuid, json, timestamp, wide }: Words): string[] => [
  `create table oauth_consent (
    user_id ${uuid} not null,
    client_id ${uuid} not null,
    scopes ${json} not null,
    created_at ${timestamp} not null,
    updated_at ${timestamp} not null,
    last_used_at ${timestamp},
    primary key (user_id, client_id)
  ) ${wide}`,
]

/**
 * What the protocol issues: codes, refresh tokens and their grants, under the hash of their secret and encrypted with
 * it.
 */
const artifacts = ({ uuid, text, document, timestamp, wide }: Words): string[] => [
  `create table oauth_artifact (
    model ${text} not null,
    id_hash ${text} not null,
    grant_id ${text},
    user_id ${uuid},
    client_id ${uuid},
    sealed ${document} not null,
    expires_at ${timestamp} not null,
    consumed_at ${timestamp},
    primary key (model, id_hash)
  ) ${wide}`,
  'create index oauth_artifact_grant on oauth_artifact (grant_id) where grant_id is not null',
  'create index oauth_artifact_person on oauth_artifact (user_id, client_id) where user_id is not null',
  'create index oauth_artifact_expiry on oauth_artifact (expires_at)',
]

export const migration: Migration = {
  name: '0018-oauth',
  up: (words) => [...clients(words), ...consents(words), ...artifacts(words)],
  down: () => ['oauth_artifact', 'oauth_consent', 'oauth_client'].map((table) => `drop table ${table}`),
}
