import type { Migration } from './words.ts'

/** Passkeys of accounts, and the challenges that were used (0357). They belong to no workspace. */
export const migration: Migration = {
  name: '0126-passkeys',
  up: ({ uuid, text, integer, timestamp, narrow }) => [
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
  ],
  down: () => ['drop table used_challenge', 'drop table passkey'],
}
