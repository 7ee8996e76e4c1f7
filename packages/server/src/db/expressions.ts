import type { Knex } from 'knex'
import type { TableName } from './columns.ts'
import type { JsonPath } from './dialect.ts'
import type { Sql } from './sql.ts'

// The SQL that the query planner composes and that both databases share. What a store alone needs, it writes itself.

export type Comparison = '=' | '>' | '>=' | '<' | '<='

/** Escapes the next character of a pattern; Knex would interpret a backslash itself. */
export const likeEscape = '!'

const lengthOf = (text: string): number => [...text].length

/** Conditions joined; without any it holds. */
export const allOf = (sql: Sql, conditions: readonly Knex.Raw[]): Knex.Raw =>
  conditions.length === 0 ? sql`1 = 1` : sql`(${sql.join(conditions, ' and ')})`

/** Conditions joined; without any it does not hold. */
export const anyOf = (sql: Sql, conditions: readonly Knex.Raw[]): Knex.Raw =>
  conditions.length === 0 ? sql`1 = 0` : sql`(${sql.join(conditions, ' or ')})`

/** Holds where a condition is false or unknown. */
export const isNotTrue = (sql: Sql, condition: Knex.Raw): Knex.Raw => sql`((${condition}) is not true)`

/** The position of the first condition that holds; their number if none does. */
export const firstOf = ({ knex }: Sql, conditions: readonly Knex.Raw[]): Knex.Raw =>
  knex.raw(`case ${conditions.map((_, index) => `when ? then ${index}`).join(' ')} else ${conditions.length} end`, [
    ...conditions,
  ])

export const isNull = (sql: Sql, value: Knex.Raw): Knex.Raw => sql`${value} is null`

export const compare = (sql: Sql, value: Knex.Raw, operator: Comparison, operand: string | number): Knex.Raw =>
  sql`${value} ${sql.knex.raw(operator)} ${operand}`

export const inList = (sql: Sql, value: Knex.Raw, operands: readonly (string | number)[]): Knex.Raw =>
  operands.length === 0 ? sql`1 = 0` : sql`${value} in (${sql.join(operands, ', ')})`

/** `(a, b) > (x, y)`, as one comparison that an index answers. */
export const tupleAfter = (
  sql: Sql,
  columns: readonly string[],
  values: readonly unknown[],
  direction: 'after' | 'before',
): Knex.Raw => {
  const [names, beyond] = [sql.join(columns.map(sql.ref), ', '), sql.join(values, ', ')]
  return direction === 'after' ? sql`(${names}) > (${beyond})` : sql`(${names}) < (${beyond})`
}

/** The first characters of a text. */
export const prefix = (sql: Sql, text: Knex.Raw, length: number): Knex.Raw => sql`substr(${text}, 1, ${length})`

export const startsWith = (sql: Sql, text: Knex.Raw, part: string): Knex.Raw =>
  compare(sql, prefix(sql, text, lengthOf(part)), '=', part)

/** Holds where a text has exactly that many characters. */
export const hasLength = (sql: Sql, text: Knex.Raw, length: number): Knex.Raw => sql`length(${text}) = ${length}`

/**
 * Holds where a folded text matches a pattern: `%` is any characters, `_` is one, and `likeEscape` escapes the next.
 */
export const like = (sql: Sql, text: Knex.Raw, pattern: string): Knex.Raw =>
  sql`${text} like ${pattern} escape ${likeEscape}`

/** A text, or null if it is in a list. */
export const nullIfIn = (sql: Sql, text: Knex.Raw, texts: readonly string[]): Knex.Raw =>
  texts.reduce((value, one) => sql`nullif(${value}, ${one})`, text)

/** The position of a text among some texts, or null. */
export const positionIn = ({ knex }: Sql, text: Knex.Raw, texts: readonly string[]): Knex.Raw =>
  texts.length === 0
    ? knex.raw('null')
    : knex.raw(`case ? ${texts.map((_, index) => `when ? then ${index}`).join(' ')} end`, [text, ...texts])

/** Number at a path of a JSON column, or null. */
export const jsonNumber = (sql: Sql, column: string, path: JsonPath): Knex.Raw =>
  sql`cast(${sql.dialect.jsonText(column, path)} as float8)`

/** 1 or 0 for a boolean at a path of a JSON column, or null. */
export const jsonFlag = (sql: Sql, column: string, path: JsonPath): Knex.Raw =>
  sql`cast(cast(${sql.dialect.jsonText(column, path)} as boolean) as int)`

/** The first day of the month, quarter or year of a day; both are `YYYY-MM-DD`. */
export function monthStart(sql: Sql, day: Knex.Raw, unit: 'month' | 'quarter' | 'year'): Knex.Raw {
  if (unit === 'year') return sql`substr(${day}, 1, 4) || '-01-01'`
  if (unit === 'month') return sql`substr(${day}, 1, 7) || '-01'`
  const month = sql`substr(${day}, 6, 2)`
  return sql`substr(${day}, 1, 5) || case when ${month} < '04' then '01' when ${month} < '07' then '04'
    when ${month} < '10' then '07' else '10' end || '-01'`
}

export const plus = (sql: Sql, one: Knex.Raw, other: Knex.Raw): Knex.Raw => sql`${one} + ${other}`

export const minus = (sql: Sql, from: Knex.Raw, less: Knex.Raw): Knex.Raw => sql`${from} - ${less}`

/** An expression or a derived table under a name. */
export const aliased = (sql: Sql, expression: Knex.Raw, name: string): Knex.Raw =>
  sql`${expression} as ${sql.ref(name)}`

/** The number of rows that a query finds before its limit, in each of its rows. */
export const countOver = (sql: Sql): Knex.Raw => sql`count(*) over ()`

/** A query used as a value. */
export const scalarSubquery = (sql: Sql, query: Knex.QueryBuilder): Knex.Raw => sql`${query}`

export const exists = (sql: Sql, query: Knex.QueryBuilder): Knex.Raw => sql`exists ${query}`

/**
 * Returns whether a query by key finds its row, as a value: Postgres may estimate that an `exists` is cheaper by
 * reading the whole table once than by a lookup for each row. That is wrong by a factor of a thousand where a page ends
 * after some rows.
 */
export const findsRow = (sql: Sql, byKey: Knex.QueryBuilder): Knex.Raw => sql`${byKey} is not null`

/** A query with `limit` as a parameter; Knex itself accepts only a number. */
export function limited({ knex }: Sql, query: Knex.QueryBuilder, rows: never): Knex.Raw {
  // Not as one parameter: Knex wraps those in parentheses, after which SQLite accepts no limit.
  const { sql, bindings } = query.toSQL()
  return knex.raw(`${sql} limit ?`, [...bindings, rows])
}

/**
 * The rows of a table `p` whose keys a table or query `s` has. A page that skips many rows takes their keys alone
 * first, which an index has, and then its own rows.
 */
export const rowsByKeys = (
  sql: Sql,
  s: Knex.QueryBuilder | Knex.Raw,
  { table, columns, on }: { readonly table: TableName; readonly columns: readonly string[]; readonly on: Knex.Raw },
): Knex.QueryBuilder => sql.knex.select(columns.map((name) => `p.${name}`)).from(sql.dialect.lookUp(s, table, 'p', on))

/** The time at which a record was deleted, 0 of a live one. */
const deletion = (sql: Sql, record: string): Knex.Raw => sql`coalesce(${sql.ref(`${record}.deleted_at`)}, 0)`

/**
 * Holds for a live record that is found by its id. Unlike `deleted_at is null` it permits no index but that of the key:
 * all others are partial, and without statistics the planner takes them for as good, and reads all records of an object
 * (11 ms for ten thousand).
 */
export const isLive = (sql: Sql, record: string): Knex.Raw => sql`${deletion(sql, record)} = 0`

/** Holds for a record that was deleted after an instant, and is found by its id. */
export const deletedAfter = (sql: Sql, record: string, after: number): Knex.Raw =>
  sql`${deletion(sql, record)} > ${after}`

/** The records that a table `s` names in its column `record_id`, as a table `s` joined with `r`. */
export const recordsOf = (sql: Sql, s: TableName | Knex.QueryBuilder | Knex.Raw, workspaceId: string): Knex.Raw =>
  sql.dialect.lookUp(s, 'record', 'r', sql`r.workspace_id = ${workspaceId} and r.id = s.record_id`)

/** The records with some ids, as a table `s` joined with `r`: each once for each time that its id is there. */
export const recordsWithIds = (sql: Sql, ids: readonly string[], workspaceId: string): Knex.Raw =>
  sql.dialect.lookUp(sql.dialect.idTable(ids), 'record', 'r', sql`r.workspace_id = ${workspaceId} and r.id = s.id`)

/** The key of a record; the id may be an expression over the tables of the query around it. */
type RecordKey = { readonly workspaceId: string; readonly id: Knex.Raw }

/** The record with that key, as a table under that name: a lookup by key, whatever the planner estimates. */
export const recordAt = (sql: Sql, { workspaceId, id }: RecordKey, name: string): Knex.Raw =>
  aliased(
    sql,
    sql.dialect.fenced(sql`select x.* from record as x where x.workspace_id = ${workspaceId} and x.id = ${id}`),
    name,
  )

type States = {
  readonly workspaceId: string
  readonly object: string
  readonly states: readonly { readonly id: string; readonly data: unknown }[]
}

/** Records of an object under a name, each with the data of a state instead of its own, and the state's `position`. */
export const lookUpStates = (sql: Sql, { workspaceId, object, states }: States, name: string): Knex.Raw => {
  const columns = ['workspace_id', 'id', 'object', 'created_at', 'created_by', 'updated_at', 'updated_by', 'owner_id']
  const found = sql.knex
    .select([...columns.map((column) => `x.${column}`), 's.data', 's.position'])
    .from(
      sql.dialect.lookUp(
        sql.dialect.stateTable(states),
        'record',
        'x',
        sql`x.workspace_id = ${workspaceId} and x.id = s.id and x.object = ${object}`,
      ),
    )
  return aliased(sql, sql`${found}`, name)
}

/** One end of the links of a relationship. */
type LinksKey = { readonly workspaceId: string; readonly relationship: string; readonly end: 'from_id' | 'to_id' }

/** The live links of the records that a query names in its column `record_id`, as a table `s` joined with `l`. */
export const linksOf = (sql: Sql, s: Knex.QueryBuilder, { workspaceId, relationship, end }: LinksKey): Knex.Raw =>
  sql.dialect.lookUp(
    s,
    'link',
    'l',
    sql`l.workspace_id = ${workspaceId} and l.relationship = ${relationship} and ${sql.ref(`l.${end}`)} = s.record_id
      and l.hidden_by is null`,
  )
