import { createFloor, dropFloor } from './schema-floor.ts'
import type { Migration } from './words.ts'

/** Begins a change as servers of before do. */
const begin = `
create or replace function kontor_begin_change(
  workspace uuid, key bigint, out told_until bigint, out index_epoch bigint
) language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(key);
  select h.told_until, h.index_epoch into told_until, index_epoch from horizon as h where h.workspace_id = workspace;
end
$$`

/** The history shows which migrations are rolling, and a change of a process that lacks another is refused (0401). */
export const migration: Migration = {
  name: '0156-rolling-upgrades',
  rolling: true,
  up: ({ dialect, boolean }) => [
    `alter table kontor_migration
      add column rolling ${boolean} not null default ${dialect === 'postgres' ? 'false' : '0'}`,
    ...(dialect === 'postgres' ? createFloor : []),
  ],
  down: ({ dialect }) => [
    ...(dialect === 'postgres' ? [begin, ...dropFloor] : []),
    'alter table kontor_migration drop column rolling',
  ],
}
