import type { Migration } from './words.ts'

/** Passkeys of accounts (0359). They belong to no workspace. */
export const migration: Migration = {
  name: '0101-passkeys',
  up: ({ uuid, text, integer, timestamp, narrow }) => [
    `create table passkey (
       user_id ${uuid} not null,
       credential_id ${text} not null,
       public_key ${text} not null,
       uses ${integer} not null,
       name ${text} not null,
       created_at ${timestamp} not null,
       last_used_at ${timestamp},
       last_challenge_at ${timestamp} not null,
       primary key (user_id, credential_id)
     ) ${narrow}`,
  ],
  down: () => ['drop table passkey'],
}
