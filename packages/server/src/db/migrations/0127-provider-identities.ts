import type { Migration } from './words.ts'

/**
 * Identities of people at sign-in providers (0357). The audience is the client of the provider, since each may get
 * subjects of its own (OpenID Connect Core §8.1).
 */
export const migration: Migration = {
  name: '0127-provider-identities',
  up: ({ uuid, text, timestamp, narrow }) => [
    `create table provider_identity (
       issuer ${text} not null,
       audience ${text} not null,
       subject ${text} not null,
       user_id ${uuid} not null,
       created_at ${timestamp} not null,
       primary key (issuer, audience, subject)
     ) ${narrow}`,
    'create unique index provider_identity_user on provider_identity (user_id, issuer, audience)',
  ],
  down: () => ['drop table provider_identity'],
}
