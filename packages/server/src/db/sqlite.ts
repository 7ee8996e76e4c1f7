import type { Knex } from 'knex'
import type { Dialect, JsonPath } from './dialect.ts'
import { tableOr, type Template } from './template.ts'

const sqlitePath = (path: JsonPath): string =>
  path.reduce<string>((sum, key) => sum + (typeof key === 'number' ? `[${key}]` : `.${JSON.stringify(key)}`), '$')

type PlanStep = { readonly id: number; readonly parent: number; readonly detail: string }

function planSteps(rows: readonly PlanStep[]): string[] {
  const depths = new Map<number, number>([[0, -1]])
  return rows.map(({ id, parent, detail }) => {
    const depth = (depths.get(parent) ?? -1) + 1
    depths.set(id, depth)
    return `${'  '.repeat(depth)}${detail}`
  })
}

/** Conditions and tables of any number of values. */
const sqliteValues = (sql: Template): Pick<Dialect, 'oneOf' | 'bothOf' | 'idTable'> => ({
  oneOf: (column, values) => sql`${sql.ref(column)} in (select value from json_each(${values}))`,
  bothOf: ([column, texts], [other, ids]) =>
    sql`${sql.ref(column)} in (select value from json_each(${texts}))
      and ${sql.ref(other)} in (select value from json_each(${ids}))`,
  idTable: (ids) => sql`(select value as id from json_each(${ids}))`,
})

export const sqliteDialect = (sql: Template): Dialect => {
  const { knex, ref } = sql
  const textAt = (column: string, path: JsonPath): Knex.Raw => sql`(${ref(column)} ->> ${sqlitePath(path)})`

  return {
    name: 'sqlite',
    isRemote: false,
    explains: { words: 'explain query plan', steps: (rows) => planSteps(rows as PlanStep[]) },
    workspacesIn: (table) =>
      sql`with recursive turn (workspace_id) as (
          select (select workspace_id from ${ref(table)} order by workspace_id limit 1)
          union all
          select (select t.workspace_id from ${ref(table)} as t
            where t.workspace_id > turn.workspace_id order by t.workspace_id limit 1)
          from turn where turn.workspace_id is not null
        ) select workspace_id from turn where workspace_id is not null`,
    jsonText: textAt,
    jsonTexts(column, path) {
      const [json, at] = [ref(column), sqlitePath(path)]
      return sql`case json_type(${json}, ${at}) when 'object'
        then (select group_concat(atom, ', ' order by atom) from json_tree(${json}, ${at}) where type = 'text')
        else ${json} ->> ${at} end`
    },
    jsonItems(column, path, member) {
      const items = sql`json_each(${ref(column)}, ${sqlitePath(path)})`
      if (member === undefined) return sql`(select value as item from ${items})`
      const text = member.orText ? sql`value` : sql`null`
      return sql`(select case type when 'object' then value ->> ${sqlitePath([member.name])}
        when 'text' then ${text} end as item from ${items})`
    },
    jsonId: (column, key) => textAt(column, [key]),
    jsonPick(column, keys) {
      const members = keys.map((key) => sql`${key}, ${ref(column)} -> ${sqlitePath([key])}`)
      return sql`json_object(${sql.join(members, ', ')})`
    },
    jsonRemove: (column, key) => sql`json_remove(${ref(column)}, ${sqlitePath([key])})`,
    fold: (text) => sql`kontor_fold(${text})`,
    phone: (text) => sql`kontor_phone(${text})`,
    ...sqliteValues(sql),
    dayIn: (instant, _form, timeZone) => sql`kontor_day(${instant}, ${timeZone})`,
    mondayOf: (day) => sql`date(${day}, '-6 days', 'weekday 1')`,
    median: (value) => sql`median(${value})`,
    stateTable: (states) =>
      sql`(select key as position, value ->> 'id' as id, value -> 'data' as data
        from json_each(${JSON.stringify(states)}))`,
    contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
    // Compares from the end, except for an empty part, with which every text ends: counted from the end, zero would be
    // the beginning.
    endsWith: (text, part) =>
      part === '' ? sql`${text} is not null` : sql`substr(${text}, ${-[...part].length}) = ${part}`,
    lookUp: (s, table, name, on) => sql`${tableOr(sql, s)} as s cross join ${ref(table)} as ${ref(name)} on ${on}`,
    fenced: (query) => sql`(${query})`,
    withGrams: ({ workspaceId, field }, grams, other) =>
      knex
        .queryBuilder()
        .from(
          sql`(select rowid as id from gram_index where gram_index match ${`(${grams.join(' ')}) OR ${other}`}
            union all select id from field_gram where id > (select indexed_id from gram_index_head)) as g
           cross join field_gram as s on s.id = g.id`,
        )
        .where({ 's.workspace_id': workspaceId, 's.field': field }),
    documentsWithGrams: (grams) =>
      knex
        .queryBuilder()
        .from(sql`search_index as g cross join search_document as s on s.id = g.rowid`)
        .where(sql`search_index match ${grams.join(' ')}`),
    locked: (query) => query,
  }
}
