import type { Knex } from 'knex'
import { compare, recordsOf } from '../../../db/expressions.ts'
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
  /** The id beyond which the page begins; only where the statement continues. */
  readonly position?: string | undefined
  readonly rows: number
  readonly offset: number
}

/** A record of the page, and the number of matches up to one more than `foundMax`; no record if the page is empty. */
type FoundRow = { readonly found: number } & (RecordRow | { readonly id: null })

/** Reads the records that have one value, in the order of their ids. */
type ScanStatement = Statement<Args, FoundRow>

/** An index that has the records of one value in the order of their ids. */
type ValueIndex = {
  readonly rows: (sql: Sql) => Knex.Raw
  readonly id: string
  /** What the rows of a value are sorted by. */
  readonly order: readonly string[]
}

const fieldIndex = (table: 'field_text' | 'field_number', value: string): ValueIndex => ({
  rows: (sql) =>
    sql`${sql.ref(table)} where workspace_id = ${param('workspace_id')} and field = ${param('name')} and is_null = 0
      and ${sql.ref(value)} = ${param('value')}`,
  id: 'record_id',
  order: ['record_id'],
})

const indexes = {
  text: fieldIndex('field_text', 'text_value'),
  number: fieldIndex('field_number', 'number_value'),
  unique: {
    rows: (sql) =>
      sql`unique_key where workspace_id = ${param('workspace_id')} and field = ${param('name')}
        and key_value = ${param('value')}`,
    id: 'record_id',
    order: ['record_id'],
  },
  link: {
    rows: (sql) =>
      sql`link where workspace_id = ${param('workspace_id')} and relationship = ${param('name')}
        and to_id = ${param('value')} and hidden_by is null`,
    id: 'from_id',
    // Postgres finds this order in the index; that all of them have no `hidden_by` it does not see.
    order: ['hidden_by', 'from_id'],
  },
} as const satisfies Readonly<Record<string, ValueIndex>>

export type ValueIndexKind = keyof typeof indexes

type Direction = 'asc' | 'desc'

function scan({ rows, id, order }: ValueIndex, direction: Direction, continues: boolean): ScanStatement {
  return statement((sql) => {
    const columns = sql.join(
      recordColumns.map((column) => sql.ref(`r.${column}`)),
      ', ',
    )
    const matches = rows(sql)
    const beyond = continues
      ? sql`${matches} and ${compare(sql, sql.ref(id), direction === 'asc' ? '>' : '<', param('position'))}`
      : matches
    const sorted = sql.join(
      order.map((column) => (direction === 'asc' ? sql`${sql.ref(column)} asc` : sql`${sql.ref(column)} desc`)),
      ', ',
    )
    const page = sql`(select ${sql.ref(id)} as record_id from ${beyond}
      order by ${sorted} limit ${param('rows')} offset ${param('offset')})`
    return sql`select c.found, ${columns}
      from (select count(*) as found from (select 1 from ${matches} limit ${foundMax + 1}) as f) as c
      left join (
        select r.* from ${recordsOf(sql, page, param('workspace_id'))}
        where r.object = ${param('object')} and r.deleted_at is null
      ) as r on true`
  })
}

const scans = (index: ValueIndex) => ({
  asc: { first: scan(index, 'asc', false), next: scan(index, 'asc', true) },
  desc: { first: scan(index, 'desc', false), next: scan(index, 'desc', true) },
})

/** By index, direction, and whether the page continues from a position. */
export const valueScans = {
  text: scans(indexes.text),
  number: scans(indexes.number),
  unique: scans(indexes.unique),
  link: scans(indexes.link),
}

const counts = (
  index: ValueIndex,
): Statement<Omit<Args, 'rows' | 'offset' | 'position' | 'object'>, { total: number }> =>
  statement((sql) => sql`select count(*) as total from ${index.rows(sql)}`)

/** Count all records that have a value. */
export const valueCounts = {
  text: counts(indexes.text),
  number: counts(indexes.number),
  unique: counts(indexes.unique),
  link: counts(indexes.link),
}
