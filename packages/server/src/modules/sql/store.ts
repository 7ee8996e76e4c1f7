import type { Knex } from 'knex'
import { aliased } from '../../db/expressions.ts'
import type { Sql } from '../../db/sql.ts'
import { whereVisible } from '../access/index.ts'
import { otherEnd } from '../objects/index.ts'
import { storedValue } from '../filters/index.ts'
import { columnKind } from './columns.ts'
import type { SqlTable, SqlTables } from './tables.ts'

/** The rows of all tables, joined, each with the columns that are read of it. */
export function rowsOf(sql: Sql, workspaceId: string, tables: SqlTables): Knex.QueryBuilder {
  const parts = [...tables.values()].map((table) => {
    const rows = aliased(sql, sql`${recordsOf(sql, workspaceId, table)}`, table.name)
    if (table.join === undefined) return rows
    const on = sql`${sql.ref(`${table.name}.near`)} = ${sql.ref(`${table.join.from.name}.id`)}`
    return table.join.inner ? sql`join ${rows} on ${on}` : sql`left join ${rows} on ${on}`
  })
  return sql.knex.from(sql.join(parts, ' '))
}

/** The live records of a table that the caller may read; of a joined one with the record that they are linked to. */
function recordsOf(sql: Sql, workspaceId: string, { object, principal, columns, join }: SqlTable): Knex.QueryBuilder {
  const { knex } = sql
  const from = join === undefined ? knex('record as r') : linked(knex)
  const records = from
    .select([
      'r.id',
      ...[...columns.values()].map(({ column, name }) => {
        const value = storedValue(sql, column)
        return aliased(sql, columnKind(column) === 'exact' ? sql`cast(${value} as text)` : value, name)
      }),
    ])
    .where({ 'r.workspace_id': workspaceId, 'r.object': object.key })
    .whereNull('r.deleted_at')
  if (join !== undefined)
    records
      .select(`l.${join.end} as near`)
      .where({ 'l.workspace_id': workspaceId, 'l.relationship': join.relationship })
      .whereNull('l.hidden_by')
      .where(sql`r.id = ${sql.ref(`l.${otherEnd(join)}`)}`)
  return whereVisible(sql, records, 'r', principal)
}

const linked = (knex: Knex): Knex.QueryBuilder =>
  knex('link as l').join('record as r', 'r.workspace_id', 'l.workspace_id')
