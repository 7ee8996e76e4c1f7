import type { Migration } from './words.ts'

/** Second factors of accounts, and the codes for when the device is lost (0357). They belong to no workspace. */
export const migration: Migration = {
  name: '0100-second-factors',
  up: ({ uuid, text, integer, timestamp, narrow }) => [
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
  ],
  down: () => ['drop table recovery_code', 'drop table second_factor'],
}
