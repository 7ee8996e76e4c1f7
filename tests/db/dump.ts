import type { PostgresDatabase } from '../../packages/server/src/db/postgres-database.ts'
import { SqliteDatabase } from '../../packages/server/src/db/sqlite-database.ts'

/**
 * The schema as text, in an order of its own and the same from every version of the database: what `pg_dump`
 * prints changes from release to release.
 */
export const dumpSchema = (database: SqliteDatabase | PostgresDatabase): Promise<string> =>
  database instanceof SqliteDatabase ? dumpSqlite(database) : dumpPostgres(database)

async function dumpSqlite(database: SqliteDatabase): Promise<string> {
  const rows = await database.reader.query<{ text: string }>(({ knex }) =>
    knex.raw(
      "select sql as text from sqlite_schema where sql is not null and name not like 'sqlite_%' order by " +
        'tbl_name, type desc, name',
    ),
  )
  return rows.map(({ text }) => `${text};\n`).join('\n')
}

/** One line a part, the parts of a table together; `part` orders them inside the table. */
const catalogue = `
with own as (
  select * from pg_class where relnamespace = current_schema()::regnamespace
), parts as (
  select relname as name, 0 as part, '' as item, case relkind
    when 'r' then case when relispartition
      then format('partition %s of %s %s', relname, inhparent::regclass, pg_get_expr(relpartbound, own.oid))
      else format('table %s', relname) end
    when 'p' then format('table %s partition by %s', relname, pg_get_partkeydef(own.oid))
    else format('%s of kind %s', relname, relkind) end
      || coalesce(' with (' || array_to_string(reloptions, ', ') || ')', '') as line
  from own left join pg_inherits on inhrelid = own.oid where relkind not in ('i', 'I')
  union all
  select relname, 1, lpad(attnum::text, 4), concat_ws(' ', '  ' || attname, format_type(atttypid, atttypmod),
    case when attcollation <> typcollation then 'collate ' || quote_ident(collname) end,
    case when attnotnull then 'not null' end, 'default ' || pg_get_expr(adbin, adrelid),
    'generated ' || nullif(attgenerated::text, ''), 'identity ' || nullif(attidentity::text, ''),
    case when attstorage <> typstorage then 'storage ' || attstorage::text end)
  from own join pg_attribute on attrelid = own.oid join pg_type on pg_type.oid = atttypid
    left join pg_collation on pg_collation.oid = attcollation
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where relkind in ('r', 'p') and not relispartition and attnum > 0 and not attisdropped
  union all
  select relname, 2, conname, format('  constraint %s %s', conname, pg_get_constraintdef(pg_constraint.oid))
  from own join pg_constraint on conrelid = own.oid
  where not relispartition and contype <> 'n' -- not null stands at the column; before 18 it was no constraint
  union all
  select relname, 3, indexrelid::regclass::text, '  ' || pg_get_indexdef(indexrelid)
  from own join pg_index on indrelid = own.oid
  where not relispartition and not exists (select from pg_constraint where conindid = indexrelid)
  union all
  select relname, 4, tgname, '  ' || pg_get_triggerdef(pg_trigger.oid)
  from own join pg_trigger on tgrelid = own.oid where not tgisinternal
  union all
  select proname, 5, pg_get_function_identity_arguments(oid), trim(pg_get_functiondef(oid))
  from pg_proc where pronamespace = current_schema()::regnamespace
)
select line from parts order by name collate "C", part, item collate "C"`

async function dumpPostgres(database: PostgresDatabase): Promise<string> {
  const rows = await database.reader.query<{ line: string }>(({ knex }) => knex.raw(catalogue.replaceAll('?', '\\?')))
  return rows.map(({ line }) => `${line}\n`).join('')
}
