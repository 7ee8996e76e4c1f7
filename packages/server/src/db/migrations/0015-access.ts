import type { Migration } from './words.ts'

/**
 * Who was granted what. `grantee_id` of a grant to the workspace is the workspace itself, so that each grantee has one grant;
 * what is shared with it says so in its own `visibility`, too. The first key answers whether somebody may see one thing, the
 * second which things of an object somebody was granted.
 */
const grants = ({ uuid, text, integer, timestamp, narrow, including }: Parameters<Migration['up']>[0]): string =>
  `create table access_grant (
    workspace_id ${uuid} not null,
    record_id ${uuid} not null,
    grantee_id ${uuid} not null,
    grantee_type ${text} not null,
    id ${uuid} not null,
    object ${text} not null,
    level ${integer} not null,
    created_at ${timestamp} not null,
    created_by ${uuid} not null,
    updated_at ${timestamp},
    updated_by ${uuid},
    primary key (workspace_id, record_id, grantee_id)${including('level')}
  ) ${narrow}`

/**
 * What somebody owns that is not shared with the workspace, and what is: together with the grants these are all that somebody sees
 * of an object that is private, which may be little of much.
 */
const sides = [
  'create index record_owned on record (workspace_id, owner_id, object) where visibility = 0 and deleted_at is null',
  'create index record_public on record (workspace_id, object, created_at, id) where visibility > 0 and deleted_at is null',
]

export const migration: Migration = {
  name: '0015-access',
  up: (words) => [
    grants(words),
    'create index access_grant_grantee on access_grant (workspace_id, grantee_id, object, record_id)',
    ...sides,
  ],
  down: () => ['drop index record_public', 'drop index record_owned', 'drop table access_grant'],
}
