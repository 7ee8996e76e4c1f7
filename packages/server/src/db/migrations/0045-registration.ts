import type { Migration } from './words.ts'

/** Which apps have registered themselves (RFC 7591). */
export const migration: Migration = {
  name: '0045-registration',
  up: ({ boolean }) => [
    `alter table oauth_client add column self_registered ${boolean} not null default false`,
    'create index oauth_client_self on oauth_client (created_at) where self_registered',
  ],
  down: () => ['drop index oauth_client_self', 'alter table oauth_client drop column self_registered'],
}
