import type { Migration } from './words.ts'

/**
 * The grants. A grant to the workspace has the workspace as its `grantee_id`, so that each grantee has one grant; a
 * thing that is shared with the workspace also says so in its own `visibility`. The first key answers whether a user
 * may see one thing, the second which things of an object a user was granted.
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
 * A user's own things that are not shared with the workspace, and the shared ones. Together with the grants these are
 * all that a user sees of a private object, which may be few out of many.
 */
const sides = [
  'create index record_owned on record (workspace_id, owner_id, object) where visibility = 0 and deleted_at is null',
  'create index record_public on record (workspace_id, object, created_at, id) where visibility > 0 and ' +
    'deleted_at is null',
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
