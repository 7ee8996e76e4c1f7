import pg from 'pg'
import { onTestFinished } from 'vitest'

/** The function and the table by which Citus says where a workspace is: two nodes of one shard each. */
const placement = `
create table workspace_fault (workspace_id uuid primary key, code text);
create table pg_dist_placement (shardid bigint, groupid int);
insert into pg_dist_placement values (1, 1), (2, 2);
create function get_shard_id_for_distribution_column(regclass, uuid) returns bigint language sql as $$
  select case when exists (select 1 from workspace_fault where workspace_id = $2) then 1 else 2 end
$$;
create function is_readable(workspace uuid) returns boolean language plpgsql as $$
declare
  fault text := (select code from workspace_fault where workspace_id = workspace);
begin
  if fault is not null then raise exception 'a row of % cannot be read', workspace using errcode = fault; end if;
  return true;
end $$`

/** `connection_failure`: Citus says it of a node that it does not reach. */
const nodeLost = '08006'

/**
 * Puts a workspace of a plain Postgres on a node of its own, as Citus does, and lets statements fail that read a row of
 * it in some tables, until it is restored.
 */
export async function nodeOfItsOwn(url: string, workspaceId: string, tables: readonly string[]) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(placement)
  await client.query('insert into workspace_fault values ($1, null)', [workspaceId])
  for (const table of tables) {
    const rows = `${table}_rows`
    await client.query(
      `begin; alter table ${table} rename to ${rows};
       create view ${table} as select * from ${rows} where is_readable(workspace_id); commit`,
    )
  }
  const setFault = async (code: string | null): Promise<void> =>
    void (await client.query('update workspace_fault set code = $1', [code]))
  onTestFinished(async () => {
    for (const table of tables)
      await client.query(`begin; drop view ${table}; alter table ${table}_rows rename to ${table}; commit`)
    await client.end()
  })
  return { lose: (code = nodeLost) => setFault(code), restore: () => setFault(null) }
}
