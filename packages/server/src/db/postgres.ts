import { integersText } from './column-kinds.ts'
import { commonDialect, tableOr } from './dialect-common.ts'
import type { Dialect, JsonPath, LockPurpose } from './dialect.ts'

/** A path as the literal of a text array. */
const postgresPath = (path: JsonPath): string => `{${path.map((key) => JSON.stringify(String(key))).join(',')}}`

/** The lock is looked for and not taken: held for a moment, it would be refused to a transaction that wants it. */
const findLock = `select 1 from pg_locks
  where locktype = 'advisory' and objsubid = 1 and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32 | objid::bigint) in (select hashtextextended(name, 0) from unnest($1::text[]) as name)
  limit 1`

export const postgresDialect: Dialect = {
  ...commonDialect,
  name: 'postgres',
  isRemote: true,
  locks: { take: 'select 1 where pg_try_advisory_xact_lock(hashtextextended($1, 0))', find: findLock },
  explains: {
    words: 'explain',
    steps: (rows) => (rows as Record<'QUERY PLAN', string>[]).map((row) => row['QUERY PLAN']),
  },
  jsonText: (knex, column, path) => knex.raw('((?? #>> ?::text[]) collate "C")', [column, postgresPath(path)]),
  jsonTexts: (knex, column, path) =>
    knex.raw(
      `(case jsonb_typeof(?? #> ?::text[]) when 'object'
        then (select string_agg(part #>> '{}', ', ' order by (part #>> '{}') collate "C") from jsonb_path_query(?? #> ?::text[], 'strict $.**') as part where jsonb_typeof(part) = 'string')
        else ?? #>> ?::text[] end collate "C")`,
      [column, postgresPath(path), column, postgresPath(path), column, postgresPath(path)],
    ),
  jsonNumber: (knex, column, path) => knex.raw('(?? #>> ?::text[])::float8', [column, postgresPath(path)]),
  jsonFlag: (knex, column, path) => knex.raw('(?? #>> ?::text[])::boolean::int', [column, postgresPath(path)]),
  jsonItems: (knex, column, path) =>
    knex.raw(
      "(select jsonb_array_elements_text(case jsonb_typeof(?? #> ?::text[]) when 'array' then ?? #> ?::text[] else '[]' end) as item)",
      [column, postgresPath(path), column, postgresPath(path)],
    ),
  jsonItemMembers: (knex, column, path, member, isFirst) =>
    knex.raw(
      "(select case jsonb_typeof(part) when 'object' then part ->> ?::text when 'string' then ? end as item from jsonb_array_elements(case jsonb_typeof(?? #> ?::text[]) when 'array' then ?? #> ?::text[] else '[]' end) as part)",
      [member, knex.raw(isFirst ? "part #>> '{}'" : 'null'), column, postgresPath(path), column, postgresPath(path)],
    ),
  // A function's result takes the collation of its argument, whatever the function's text says.
  jsonId: (knex, column, key) => knex.raw('(?? ->> ?)::uuid', [column, key]),
  fold: (knex, text) => knex.raw('(kontor_fold(?) collate "C")', [text]),
  jsonRemove: (knex, column, key) => knex.raw('(?? - ?::text)', [column, key]),
  oneOf: (knex, column, values, kind = 'uuid') => knex.raw(`?? = any(?::${kind}[])`, [column, values as string[]]),
  oneOfGiven: (knex, column, values, kind = 'uuid') => knex.raw(`?? = any(?::${kind}[])`, [column, values]),
  list: (values) => values,
  idTable: (knex, ids) => knex.raw('(select unnest(?::uuid[]) as id)', [ids as string[]]),
  contains: (knex, text, part) => knex.raw('strpos(?, ?::text) > 0', [text, part]),
  endsWith: (knex, text, part) => knex.raw('right(?, ?::int) = ?', [text, [...part].length, part]),
  // OFFSET 0 keeps the planner from merging the lookup into the query and choosing its own join: if it expects a
  // million rows it reads the whole table, if it expects one it does not.
  recordsOf: (knex, s, workspaceId) =>
    knex.raw(
      '? as s cross join lateral (select x.* from record as x where x.workspace_id = ? and x.id = s.record_id offset 0) as r',
      [tableOr(knex, s), workspaceId],
    ),
  recordAt: (knex, { workspaceId, id }, name) =>
    knex.raw('(select x.* from record as x where x.workspace_id = ? and x.id = ? offset 0) as ??', [
      workspaceId,
      id,
      name,
    ]),
  linksOf: (knex, s, { workspaceId, relationship, end }) =>
    knex.raw(
      '? as s cross join lateral (select x.* from link as x where x.workspace_id = ? and x.relationship = ? and ?? = s.record_id and x.hidden_by is null offset 0) as l',
      [s as never, workspaceId, relationship, `x.${end}`],
    ),
  withGrams: (knex, { workspaceId, field }, grams, other) =>
    knex('field_gram as s')
      .where({ 's.workspace_id': workspaceId, 's.field': field })
      .whereRaw('(s.grams @> ?::int4[] or s.grams @> ?::int4[])', [integersText(grams), integersText([other])]),
  documentsWithGrams: (knex, grams) =>
    knex
      .queryBuilder()
      .from('search_document as s')
      .whereRaw('s.grams @> ?::int4[]', [integersText(grams)]),
  locked(query, purpose) {
    const lock: Readonly<Record<LockPurpose, () => unknown>> = {
      change: () => query.forNoKeyUpdate(),
      delete: () => query.forUpdate(),
      refer: () => query.forKeyShare(),
      claim: () => query.forUpdate().skipLocked(),
    }
    return lock[purpose]() as typeof query
  },
}
