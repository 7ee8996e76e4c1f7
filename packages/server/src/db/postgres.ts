import type { Knex } from 'knex'
import { isList, memberOf } from '../lib/guards.ts'
import { integersText } from './column-kinds.ts'
import type { Dialect, JsonPath, LockPurpose } from './dialect.ts'
import { tableOr, type Template } from './template.ts'

/** A path as the literal of a text array. */
const postgresPath = (path: JsonPath): string => `{${path.map((key) => JSON.stringify(String(key))).join(',')}}`

/** The lock is looked for and not taken: held for a moment, it would be refused to a transaction that wants it. */
const findLock = `select 1 from pg_locks
  where locktype = 'advisory' and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32 | objid::bigint) in (select hashtextextended(name, 0) from unnest($1::text[]) as name)
  limit 1`

const locks: Dialect['locks'] = {
  take: 'select 1 where pg_try_advisory_xact_lock(hashtextextended($1, 0))',
  wait: 'select 1 from pg_advisory_xact_lock(hashtextextended($1, 0))',
  find: findLock,
}

const explains: Dialect['explains'] = {
  words: 'explain',
  steps: (rows) => (isList(rows) ? rows.map((row) => String(memberOf(row, 'QUERY PLAN'))) : []),
}

const postgresAggregates = (sql: Template): Pick<Dialect, 'dayIn' | 'mondayOf' | 'median'> => ({
  dayIn(instant, form, timeZone) {
    const at = form === 'ms' ? sql`to_timestamp(${instant} / 1000.0)` : sql`(${instant})::timestamptz`
    return sql`(to_char(${at} at time zone ${timeZone}, 'YYYY-MM-DD') collate "C")`
  },
  mondayOf: (day) => sql`(to_char(date_trunc('week', (${day})::date), 'YYYY-MM-DD') collate "C")`,
  median: (value) => sql`percentile_cont(0.5) within group (order by ${value})`,
})

const picked = (sql: Template, column: string, keys: readonly string[]) => {
  const members = keys.map((key) => sql`${key}::text, ${sql.ref(column)} -> ${key}::text`)
  return sql`jsonb_build_object(${sql.join(members, ', ')})`
}

/** Conditions and tables of any number of values. */
const postgresValues = (sql: Template): Pick<Dialect, 'oneOf' | 'bothOf' | 'idTable'> => ({
  oneOf: (column, values, kind = 'uuid') => sql`${sql.ref(column)} = any(${values}::${sql.knex.raw(kind)}[])`,
  // For pairs that a query makes, the planner assumes what is usual of the table, and nothing of single values.
  bothOf: ([column, texts], [other, ids]) =>
    sql`(${sql.ref(column)}, ${sql.ref(other)}) in (select one, other
      from unnest(${texts}::text[]) as one, unnest(${ids}::uuid[]) as other)`,
  idTable: (ids, kind = 'uuid') => sql`(select unnest(${ids}::${sql.knex.raw(kind)}[]) as id)`,
})

export const postgresDialect = (sql: Template): Dialect => {
  const { knex, ref } = sql
  const fenced = (query: Knex.Raw): Knex.Raw => sql`(${query} offset 0)`
  const textAt = (column: string, path: JsonPath): Knex.Raw => sql`${ref(column)} #>> ${postgresPath(path)}::text[]`
  const jsonAt = (column: string, path: JsonPath): Knex.Raw => sql`${ref(column)} #> ${postgresPath(path)}::text[]`
  const arrayAt = (column: string, path: JsonPath): Knex.Raw =>
    sql`case jsonb_typeof(${jsonAt(column, path)}) when 'array' then ${jsonAt(column, path)} else '[]' end`

  return {
    name: 'postgres',
    isRemote: true,
    locks,
    explains,
    workspacesIn: (table) => sql`select workspace_id from kontor_workspaces_in(${table}) as workspace_id`,
    jsonText: (column, path) => sql`((${textAt(column, path)}) collate "C")`,
    jsonTexts: (column, path) =>
      sql`(case jsonb_typeof(${jsonAt(column, path)}) when 'object'
        then (select string_agg(part #>> '{}', ', ' order by (part #>> '{}') collate "C")
          from jsonb_path_query(${jsonAt(column, path)}, 'strict $.**') as part
          where jsonb_typeof(part) = 'string')
        else ${textAt(column, path)} end collate "C")`,
    jsonItems(column, path, member) {
      if (member === undefined) return sql`(select jsonb_array_elements_text(${arrayAt(column, path)}) as item)`
      const text = member.orText ? sql`part #>> '{}'` : sql`null`
      return sql`(select case jsonb_typeof(part) when 'object' then part ->> ${member.name}::text
        when 'string' then ${text} end as item from jsonb_array_elements(${arrayAt(column, path)}) as part)`
    },
    jsonId: (column, key) => sql`(${ref(column)} ->> ${key})::uuid`,
    jsonPick: (column, keys) => picked(sql, column, keys),
    jsonRemove: (column, key) => sql`(${ref(column)} - ${key}::text)`,
    // A function's result takes the collation of its argument, whatever the function's text says.
    fold: (text) => sql`(kontor_fold(${text}) collate "C")`,
    phone: (text) => sql`(kontor_phone(${text}) collate "C")`,
    ...postgresValues(sql),
    ...postgresAggregates(sql),
    stateTable: (states) =>
      sql`(select at - 1 as position, (state ->> 'id')::uuid as id, state -> 'data' as data
        from jsonb_array_elements(${JSON.stringify(states)}::jsonb) with ordinality as t(state, at))`,
    contains: (text, part) => sql`strpos(${text}, ${part}::text) > 0`,
    endsWith: (text, part) => sql`right(${text}, ${[...part].length}::int) = ${part}`,
    // OFFSET 0 keeps the planner from merging the lookup into the query and choosing its own join: if it expects a
    // million rows it reads the whole table, if it expects one it does not.
    lookUp: (s, table, name, on) =>
      sql`${tableOr(sql, s)} as s cross join lateral
        ${fenced(sql`select ${ref(`${name}.*`)} from ${ref(table)} as ${ref(name)} where ${on}`)} as ${ref(name)}`,
    fenced,
    withGrams: ({ workspaceId, field }, grams, other) =>
      knex('field_gram as s')
        .where({ 's.workspace_id': workspaceId, 's.field': field })
        .where(sql`(s.grams @> ${integersText(grams)}::int4[] or s.grams @> ${integersText([other])}::int4[])`),
    documentsWithGrams: (grams) =>
      knex
        .queryBuilder()
        .from('search_document as s')
        .where(sql`s.grams @> ${integersText(grams)}::int4[]`),
    locked(query, purpose, table) {
      const tables = table === undefined ? [] : [table]
      const lock: Readonly<Record<LockPurpose, () => unknown>> = {
        change: () => query.forNoKeyUpdate(...tables),
        keep: () => query.forShare(...tables),
        delete: () => query.forUpdate(...tables),
        refer: () => query.forKeyShare(...tables),
        claim: () => query.forUpdate(...tables).skipLocked(),
      }
      lock[purpose]()
      return query
    },
  }
}
