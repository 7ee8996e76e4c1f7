/** A function of Postgres as it is for plain tables, and as it is for tables that are distributed by workspace. */
type InBothLayouts = { readonly plain: string; readonly distributed: string }

/**
 * The workspaces that have rows in a table. In plain tables each is found by one lookup in the primary key, however
 * many rows there are; Citus refuses a recursive query over shards, and lets each node group its own rows.
 */
export const workspacesIn: InBothLayouts = {
  plain: `
create or replace function kontor_workspaces_in(source text) returns setof uuid language plpgsql stable as $$
begin
  return query execute format(
    'with recursive turn (workspace_id) as (
       select (select workspace_id from %1$I order by workspace_id limit 1)
       union all
       select (select t.workspace_id from %1$I as t where t.workspace_id > turn.workspace_id
         order by t.workspace_id limit 1)
       from turn where turn.workspace_id is not null
     ) select workspace_id from turn where workspace_id is not null', source);
end
$$`,
  distributed: `
create or replace function kontor_workspaces_in(source text) returns setof uuid language plpgsql as $$
begin
  return query execute format('select workspace_id from %I group by workspace_id', source);
exception when connection_exception or connection_failure or sqlclient_unable_to_establish_sqlconnection then
  return query select distinct unnest(string_to_array(result, ','))::uuid from run_command_on_all_nodes(
    format('select kontor_workspaces_here(%L)', source), parallel => true, give_warning_for_connection_errors => true
  ) where success and result <> '';
end
$$`,
}

/**
 * The workspaces that have rows in the shards of a table that lie on this node, joined by commas: asked of each node by
 * itself while one of them does not answer.
 */
export const workspacesHere = `
create or replace function kontor_workspaces_here(source text) returns text language plpgsql as $$
declare
  shard text;
  found uuid[];
  everything uuid[] := '{}';
begin
  for shard in
    select shard_name(s.logicalrelid, s.shardid) from pg_dist_shard s join pg_dist_placement p using (shardid)
    where s.logicalrelid = source::regclass
      and p.groupid = (select groupid from pg_dist_local_group limit 1)
  loop
    execute format('select array_agg(distinct workspace_id) from %s', shard) into found;
    everything := everything || coalesce(found, '{}');
  end loop;
  return array_to_string(everything, ',');
end
$$`

/**
 * Gathers statistics on a workspace's rows in a table: of the partition or the shard that holds them, which the others
 * of it share.
 */
export const gatherStatistics: InBothLayouts = {
  plain: `
create or replace function kontor_gather_statistics(source text, workspace uuid) returns void language plpgsql as $$
declare
  part text;
begin
  execute format('select tableoid::regclass::text from %I where workspace_id = $1 limit 1', source)
    into part using workspace;
  if part is not null then execute format('analyze %s', part); end if;
end
$$`,
  distributed: `
create or replace function kontor_gather_statistics(source text, workspace uuid) returns void language plpgsql as $$
declare
  shard bigint := get_shard_id_for_distribution_column(source::regclass, workspace);
begin
  perform master_run_on_worker(array_agg(n.nodename), array_agg(n.nodeport),
      array_agg(format('analyze %s', shard_name(source::regclass, shard))), false)
    from pg_dist_placement p join pg_dist_node n using (groupid)
    where p.shardid = shard and n.noderole = 'primary';
end
$$`,
}
