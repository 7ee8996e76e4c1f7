import type { Words } from '../words.ts'

const users = ({ boolean, narrow, text, timestamp, uuid, wide }: Words): string[] => [
  `create table app_user (
    id ${uuid} not null,
    email ${text} not null,
    email_key ${text} not null,
    name ${text},
    created_at ${timestamp} not null,
    last_active_at ${timestamp},
    unverified_since ${timestamp},
    primary key (id)
  ) ${wide}`,
  'create unique index app_user_email_key on app_user (email_key)',
  `create table membership (
    workspace_id ${uuid} not null,
    user_id ${uuid} not null,
    role ${text} not null,
    created_at ${timestamp} not null,
    primary key (workspace_id, user_id)
  ) ${narrow}`,
  'create index membership_user on membership (user_id)',
  `create table invitation (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    email ${text} not null,
    email_key ${text} not null,
    role ${text} not null,
    name ${text},
    token_hash ${text} not null,
    created_at ${timestamp} not null,
    created_by ${uuid} not null,
    sent_at ${timestamp} not null,
    mailed ${boolean} not null default false,
    ended_at ${timestamp},
    primary key (workspace_id, id)
  ) ${wide}`,
  'create unique index invitation_email on invitation (workspace_id, email_key)',
  // A request that follows a link has only its token.
  'create unique index invitation_token on invitation (token_hash)',
]

const keys = ({ json, narrow, text, timestamp, uuid, wide }: Words): string[] => [
  `create table api_key (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    name ${text} not null,
    key_prefix ${text} not null,
    key_hash ${text} not null,
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
  // Several earlier secrets of an API key may be valid beside the current one (0024).
  `create table retired_key (
    workspace_id ${uuid} not null,
    key_id ${uuid} not null,
    key_hash ${text} not null,
    valid_until ${timestamp} not null,
    primary key (workspace_id, key_id, key_hash)
  ) ${narrow}`,
  // A request brings only the key, so this lookup cannot start with the workspace.
  'create unique index retired_key_hash on retired_key (key_hash)',
  `create table signing_key (
    kid ${text} not null,
    private_jwk ${json} not null,
    created_at ${timestamp} not null,
    primary key (kid)
  ) ${wide}`,
]

const signIn = ({ boolean, integer, narrow, text, timestamp, uuid, wide }: Words): string[] => [
  // Belongs to no workspace: a person signs in before any workspace is known.
  `create table password (
    user_id ${uuid} not null,
    password_hash ${text} not null,
    updated_at ${timestamp} not null,
    primary key (user_id)
  ) ${narrow}`,
  `create table password_link (
    token_hash ${text} not null,
    user_id ${uuid} not null,
    created_at ${timestamp} not null,
    verifies ${boolean} not null default false,
    primary key (token_hash)
  ) ${narrow}`,
  'create index password_link_user on password_link (user_id)',
  'create index password_link_created on password_link (created_at)',
  `create table session (
    id ${uuid} not null,
    token_hash ${text} not null,
    user_id ${uuid} not null,
    user_agent ${text},
    created_at ${timestamp} not null,
    last_seen_at ${timestamp} not null,
    primary key (id)
  ) ${wide}`,
  'create unique index session_token on session (token_hash)',
  'create index session_of_user on session (user_id)',
  'create index session_seen on session (last_seen_at)',
  'create index session_created on session (created_at)',
  `create table sign_in_attempt (
    email_hash ${text} not null,
    failures ${integer} not null,
    began_at ${timestamp} not null,
    primary key (email_hash)
  ) ${narrow}`,
  'create index sign_in_attempt_began on sign_in_attempt (began_at)',
  // Second factors of accounts, and the codes for when the device is lost (0357). They belong to no workspace.
  `create table second_factor (
    user_id ${uuid} not null,
    sealed_secret ${text} not null,
    sealed_with ${text} not null,
    last_step ${integer} not null,
    created_at ${timestamp} not null,
    primary key (user_id)
  ) ${narrow}`,
  `create table recovery_code (
    user_id ${uuid} not null,
    code_hash ${text} not null,
    primary key (user_id, code_hash)
  ) ${narrow}`,
  // Passkeys of accounts, and the challenges that were used (0357). They belong to no workspace.
  `create table passkey (
    user_id ${uuid} not null,
    credential_id ${text} not null,
    public_key ${text} not null,
    uses ${integer} not null,
    name ${text} not null,
    created_at ${timestamp} not null,
    last_used_at ${timestamp},
    primary key (user_id, credential_id)
  ) ${narrow}`,
  `create table used_challenge (
    challenge_hash ${text} not null,
    used_at ${timestamp} not null,
    primary key (challenge_hash)
  ) ${narrow}`,
]

const apps = ({ boolean, document, json, text, timestamp, uuid, wide }: Words): string[] => [
  `create table oauth_client (
    id ${uuid} not null,
    name ${text} not null,
    client_type ${text} not null,
    secret_hash ${text},
    redirect_uris ${json} not null,
    created_at ${timestamp} not null,
    workspace_id ${uuid},
    scopes ${json},
    self_registered ${boolean} not null default false,
    created_by ${uuid},
    primary key (id)
  ) ${wide}`,
  'create unique index oauth_client_name on oauth_client (workspace_id, name) where workspace_id is not null',
  'create index oauth_client_self on oauth_client (created_at) where self_registered',
  // A person's consent to an app, until they revoke it.
  `create table oauth_consent (
    user_id ${uuid} not null,
    client_id ${uuid} not null,
    workspace_id ${uuid} not null,
    scopes ${json} not null,
    created_at ${timestamp} not null,
    updated_at ${timestamp} not null,
    last_used_at ${timestamp},
    primary key (user_id, client_id, workspace_id)
  ) ${wide}`,
  // What the protocol issues: codes, refresh tokens and their grants, under the hash of their secret and encrypted
  // with it.
  `create table oauth_artifact (
    model ${text} not null,
    id_hash ${text} not null,
    grant_id ${text},
    user_id ${uuid},
    client_id ${uuid},
    sealed ${document} not null,
    expires_at ${timestamp} not null,
    consumed_at ${timestamp},
    workspace_id ${uuid},
    primary key (model, id_hash)
  ) ${wide}`,
  'create index oauth_artifact_grant on oauth_artifact (grant_id) where grant_id is not null',
  'create index oauth_artifact_person on oauth_artifact (user_id, client_id) where user_id is not null',
  'create index oauth_artifact_expiry on oauth_artifact (expires_at)',
]

/** People, and what they and their programs sign in with. */
export const peopleTables = (words: Words): string[] => [
  ...users(words),
  ...keys(words),
  ...signIn(words),
  ...apps(words),
]
