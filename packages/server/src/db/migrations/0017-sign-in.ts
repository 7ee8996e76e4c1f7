import type { Migration, Words } from './words.ts'

/** Belongs to no workspace: a person signs in before any workspace is known. */
const people = ({ uuid, text, integer, timestamp, narrow, wide }: Words): string[] => [
  `create table password (
    user_id ${uuid} not null,
    password_hash ${text} not null,
    updated_at ${timestamp} not null,
    primary key (user_id)
  ) ${narrow}`,
  // Also for addresses without an account, so that a locked address reveals nothing.
  `create table sign_in_attempt (
    email_hash ${text} not null,
    failures ${integer} not null,
    began_at ${timestamp} not null,
    primary key (email_hash)
  ) ${narrow}`,
  'create index sign_in_attempt_began on sign_in_attempt (began_at)',
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
  `create table password_link (
    token_hash ${text} not null,
    user_id ${uuid} not null,
    created_at ${timestamp} not null,
    primary key (token_hash)
  ) ${narrow}`,
  'create index password_link_user on password_link (user_id)',
  'create index password_link_created on password_link (created_at)',
]

const invitations = ({ uuid, text, timestamp, wide }: Words): string[] => [
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
    primary key (workspace_id, id)
  ) ${wide}`,
  'create unique index invitation_email on invitation (workspace_id, email_key)',
  // A request that follows a link has only its token.
  'create unique index invitation_token on invitation (token_hash)',
]

export const migration: Migration = {
  name: '0017-sign-in',
  up: (words) => [...people(words), ...invitations(words)],
  down: () =>
    ['invitation', 'password_link', 'session', 'sign_in_attempt', 'password'].map((table) => `drop table ${table}`),
}
