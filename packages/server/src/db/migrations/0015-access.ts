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

export const migration: Migration = {
  name: '0015-access',
  up: (words) => [grants(words), 'create index access_grant_grantee on access_grant (workspace_id, grantee_id, object, record_id)'],
  down: () => ['drop table access_grant'],
}
