import { beginChange } from './baseline/functions.ts'
import type { Migration } from './words.ts'

/** Reads the number of the workspace's indexes with the watermark. */
const beginWithIndexes = `
create function kontor_begin_change(workspace uuid, key bigint, out told_until bigint, out index_epoch bigint)
language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(key);
  select h.told_until, h.index_epoch into told_until, index_epoch from horizon as h where h.workspace_id = workspace;
end
$$`

const dropped = 'drop function kontor_begin_change(uuid, bigint)'

/** The number of a workspace's set of indexes on demand, beside the watermark that each change reads (0045). */
export const migration: Migration = {
  name: '0138-index-epochs',
  up: ({ dialect, integer }) => [
    `alter table horizon add column index_epoch ${integer} not null default 0`,
    ...(dialect === 'postgres' ? [dropped, beginWithIndexes] : []),
  ],
  down: ({ dialect }) => [
    ...(dialect === 'postgres' ? [dropped, beginChange] : []),
    'alter table horizon drop column index_epoch',
  ],
}
