import type { Knex } from 'knex'
import type { TableName } from '../../../db/columns.ts'
import { recordsOf, tupleAfter } from '../../../db/expressions.ts'
import type { Sql } from '../../../db/sql.ts'
import { param, statement, type Statement } from '../../../db/statement.ts'
import { recordColumns, type RecordRow } from '../../objects/index.ts'

/** Most matches that a statement counts besides the page that it reads. */
export const foundMax = 1000

type Args = {
  readonly workspace_id: string
  readonly object: string
  readonly name: string
  readonly value: string | number
  /** The ids between which the page lies. */
  readonly after: string
  readonly before: string
  readonly rows: number
  readonly offset: number
}

/** A record of the page, and the number of matches up to one more than `foundMax`; no record if the page is empty. */
type FoundRow = { readonly found: number } & (RecordRow | { readonly id: null })

/** Reads the records that have one value, in the order of their ids. */
type ScanStatement = Statement<Args, FoundRow>

/** An index that has the records of one value in the order of their ids. */
type ValueIndex = {
  readonly table: TableName
  readonly id: string
  /** Holds for the rows of the value. */
  readonly isOfValue: (sql: Sql) => Knex.Raw
  /** The column of the value where pages are read as a range of it, and what holds for all rows of its field. */
  readonly range?: { readonly column: string; readonly isOfField: (sql: Sql) => Knex.Raw }
}

const isOfField = (sql: Sql): Knex.Raw => sql`field = ${param('name')} and is_null = 0`

const fieldIndex = (table: 'field_text' | 'field_number', value: string): ValueIndex => ({
  table,
  id: 'record_id',
  isOfValue: (sql) => sql`${isOfField(sql)} and ${sql.ref(value)} = ${param('value')}`,
  range: { column: value, isOfField },
})

const indexes = {
  text: fieldIndex('field_text', 'text_value'),
  number: fieldIndex('field_number', 'number_value'),
  unique: {
    table: 'unique_key',
    id: 'record_id',
    isOfValue: (sql) => sql`field = ${param('name')} and key_value = ${param('value')}`,
  },
  link: {
    table: 'link',
    id: 'from_id',
    isOfValue: (sql) => sql`relationship = ${param('name')} and to_id = ${param('value')} and hidden_by is null`,
  },
} as const satisfies Readonly<Record<string, ValueIndex>>

export type ValueIndexKind = keyof typeof indexes

type Direction = 'asc' | 'desc'

const rowsOf = (sql: Sql, { table, isOfValue }: ValueIndex): Knex.Raw =>
  sql`${sql.ref(table)} where workspace_id = ${param('workspace_id')} and ${isOfValue(sql)}`

/**
 * The rows of a value between two ids, as a range of values and ids: of rows that equal a value Postgres expects so
 * few, once it plans for any value, that it reads and sorts all of them. The range begins with the value, since
 * Postgres reads on until the first column of a range is beyond its end.
 */
function pageRows(sql: Sql, index: ValueIndex, direction: Direction): Knex.Raw {
  const { range } = index
  const columns = [...(range === undefined ? [] : [range.column]), index.id]
  const values = range === undefined ? [] : [param('value')]
  const isAfter = tupleAfter(sql, columns, [...values, param('after')], 'after')
  const isBefore = tupleAfter(sql, columns, [...values, param('before')], 'before')
  const rows =
    range === undefined
      ? rowsOf(sql, index)
      : sql`${sql.ref(index.table)} where workspace_id = ${param('workspace_id')} and ${range.isOfField(sql)}`
  // Postgres finds the order of links in their index by `hidden_by` too, which none of them has.
  const sorted = [...(index.table === 'link' ? ['hidden_by'] : []), ...columns].map((column) =>
    direction === 'asc' ? sql`${sql.ref(column)} asc` : sql`${sql.ref(column)} desc`,
  )
  return sql`(select ${sql.ref(index.id)} as record_id from ${rows} and ${isAfter} and ${isBefore}
    order by ${sql.join(sorted, ', ')} limit ${param('rows')} offset ${param('offset')})`
}

const scan = (index: ValueIndex, direction: Direction): ScanStatement =>
  statement((sql) => {
    const columns = sql.join(
      recordColumns.map((column) => sql.ref(`r.${column}`)),
      ', ',
    )
    return sql`select c.found, ${columns}
      from (select count(*) as found from (select 1 from ${rowsOf(sql, index)} limit ${foundMax + 1}) as f) as c
      left join (
        select r.* from ${recordsOf(sql, pageRows(sql, index, direction), param('workspace_id'))}
        where r.object = ${param('object')} and r.deleted_at is null
      ) as r on true`
  })

const scans = (index: ValueIndex) => ({ asc: scan(index, 'asc'), desc: scan(index, 'desc') })

/** By index and direction. */
export const valueScans = {
  text: scans(indexes.text),
  number: scans(indexes.number),
  unique: scans(indexes.unique),
  link: scans(indexes.link),
}

const counts = (
  index: ValueIndex,
): Statement<Omit<Args, 'rows' | 'offset' | 'after' | 'before' | 'object'>, { total: number }> =>
  statement((sql) => sql`select count(*) as total from ${rowsOf(sql, index)}`)

/** Count all records that have a value. */
export const valueCounts = {
  text: counts(indexes.text),
  number: counts(indexes.number),
  unique: counts(indexes.unique),
  link: counts(indexes.link),
}
