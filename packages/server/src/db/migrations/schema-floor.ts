import type { DialectName, Migration } from './words.ts'

/** The migration that creates the functions below. */
const since = '0156-rolling-upgrades'

/** The error code of a change by a process that does not know the schema. */
export const outdatedCode = 'KN001'

/**
 * The number of migrations that a process must know to make changes. A constant in a function costs a change nothing:
 * Postgres folds it into the plan of `kontor_begin_change`.
 */
const floorFunction = (floor: number): string => `
create or replace function kontor_schema_floor() returns bigint language sql immutable as 'select ${floor}::bigint'`

/** Begins a change as before, and refuses it to processes that know too few migrations. */
const beginKnowing = (watermark: string): string => `
create or replace function kontor_begin_change(
  workspace uuid, key bigint, known bigint, out told_until bigint, out index_epoch bigint
) language plpgsql volatile as $$
begin
  if known < kontor_schema_floor() then
    raise exception 'this process knows % migrations, and the schema needs %', known, kontor_schema_floor()
      using errcode = '${outdatedCode}';
  end if;
  perform pg_advisory_xact_lock_shared(key);
  ${watermark} from horizon as h where h.workspace_id = workspace;
end
$$`

export const beginWithIndexes = beginKnowing('select h.told_until, h.index_epoch into told_until, index_epoch')

/** The signature stays, by which processes of before call it, to be refused. */
export const beginWithoutIndexes = beginKnowing('select h.told_until into told_until')

/** Servers of before call it, which know none of the numbers. */
const beginOfBefore = `
create or replace function kontor_begin_change(
  workspace uuid, key bigint, out told_until bigint, out index_epoch bigint
) language plpgsql volatile as $$
begin
  select b.told_until, b.index_epoch into told_until, index_epoch from kontor_begin_change(workspace, key, 0) as b;
end
$$`

export const createFloor = [floorFunction(0), beginWithIndexes, beginOfBefore]
export const dropFloor = [
  'drop function kontor_begin_change(uuid, bigint, bigint)',
  'drop function kontor_schema_floor()',
]

/** Sets the floor of a database with so many of the migrations, behind one of them that is not rolling. */
export function floorAfter(migrations: readonly Migration[], count: number, dialect: DialectName): string[] {
  const first = migrations.findIndex(({ name }) => name === since)
  if (dialect === 'sqlite' || first < 0 || count <= first) return []
  const strict = migrations.slice(0, count).findLastIndex(({ rolling }) => rolling !== true)
  return [floorFunction(strict > first ? strict + 1 : 0)]
}
