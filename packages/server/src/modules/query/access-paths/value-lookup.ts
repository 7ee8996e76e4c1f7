import type { Knex } from 'knex'
import { scalarSubquery, compare, limited, recordsOf } from '../../../db/expressions.ts'
import type { Sql } from '../../../db/sql.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { param, statement, type Statement } from '../../../db/statement.ts'
import { isId } from '../../../kernel/ids.ts'
import { seesAll } from '../../access/index.ts'
import { textValueMax, uniqueValue, orderedKind, indexedColumn } from '../../indexes/index.ts'
import { linkEndOf, uniqueName, recordColumns, type RecordRow } from '../../objects/index.ts'
import { conjunctsOf, type Condition } from '../filter.ts'
import { isDescending, isFirstByCreation, type ListQuery } from '../list-query.ts'
import { idListMax, type IsIndexUsable } from './access-path.ts'

type Args = {
  readonly workspace_id: string
  readonly object: string
  readonly name: string
  readonly value: string | number
  readonly rows: number
}

/** One of the first records, and the number of all. The record is null if there is none, or if there are too many. */
type CountedRow = { readonly found: number } & (RecordRow | { readonly id: null })

type Direction = 'asc' | 'desc'

/** Prepared statements: they answer before an ad-hoc query is even built. */
type LookupStatements = {
  readonly ids: Statement<Args, { readonly record_id: string }>
  readonly first: Readonly<Record<Direction, Statement<Args, CountedRow>>>
}

/** A lookup of one value in the index that holds it. */
type Lookup = {
  readonly statements: LookupStatements
  readonly name: string
  readonly value: string | number
  readonly label: string
}

function lookupBy(rowsOf: (knex: Knex) => Knex.QueryBuilder): LookupStatements {
  const matches = (knex: Knex): Knex.QueryBuilder => rowsOf(knex).limit(idListMax + 1)
  /** Counts the matches, and reads the first records if the matches are few. */
  const first = (order: Direction) =>
    statement<Args, CountedRow>((sql) => {
      const { knex } = sql
      return knex
        .withMaterialized('f', matches(knex))
        .with('r', firstOf(sql, order))
        .select('c.found', ...recordColumns.map((column) => `r.${column}`))
        .from(countOf(knex).as('c'))
        .leftJoin('r', (join) => void join.onVal('c.found', '<=', idListMax))
    })
  return { ids: statement(({ knex }) => matches(knex)), first: { asc: first('asc'), desc: first('desc') } }
}

const countOf = (knex: Knex): Knex.QueryBuilder => knex.count('* as found').from('f')

const firstOf = (sql: Sql, order: Direction): Knex.Raw =>
  limited(
    sql,
    sql.knex
      .select(...recordColumns.map((column) => `r.${column}`))
      .from(recordsOf(sql, sql.knex.select('record_id').from('f'), param('workspace_id')))
      .where('r.object', param('object'))
      .whereNull('r.deleted_at')
      .where(compare(sql, scalarSubquery(sql, countOf(sql.knex)), '<=', idListMax))
      .orderBy([
        { column: 'r.created_at', order },
        { column: 'r.id', order },
      ]),
    param('rows'),
  )

const byIndex = (table: 'field_text' | 'field_number', value: string): LookupStatements =>
  lookupBy((knex) =>
    knex(table)
      .select('record_id')
      .where({ workspace_id: param('workspace_id'), field: param('name'), is_null: 0, [value]: param('value') }),
  )

const statements = {
  text: byIndex('field_text', 'text_value'),
  number: byIndex('field_number', 'number_value'),
  unique: lookupBy((knex) =>
    knex('unique_key')
      .select('record_id')
      .where({ workspace_id: param('workspace_id'), field: param('name'), key_value: param('value') }),
  ),
  link: lookupBy((knex) =>
    knex('link')
      .select('from_id as record_id')
      .where({ workspace_id: param('workspace_id'), relationship: param('name'), to_id: param('value') })
      .whereNull('hidden_by'),
  ),
}

/** The records that have a value: their ids or the first of them, unless they are more than `idListMax`. */
export type PointLookup = {
  readonly label: string
  readonly total: number
  readonly ids?: readonly string[]
  readonly rows?: readonly RecordRow[]
}

/**
 * Looks up the records of a list that is filtered by one value of one column, if an index holds the value. Most
 * filtered lists are of this kind, and planning them would cost more than reading them. Returns undefined if the list
 * is of another kind.
 */
export async function lookUpValue(
  tx: ReadTx,
  query: ListQuery,
  usable: IsIndexUsable,
): Promise<PointLookup | undefined> {
  const { workspaceId, object, principal, filter, idSet, sort, offset, limit } = query
  const [condition, ...others] = filter === undefined ? [] : conjunctsOf(filter)
  const isSimple =
    condition !== undefined &&
    others.length === 0 &&
    'column' in condition &&
    condition.steps.length === 0 &&
    condition.values.length === 1
  if (!isSimple || !isFirstByCreation(query) || idSet !== undefined || !seesAll(principal)) return undefined
  const lookup = lookupOf({ object, usable }, condition)
  if (lookup === undefined) return undefined
  const {
    name,
    value,
    label,
    statements: { ids, first },
  } = lookup
  const args = { workspace_id: workspaceId, object: object.key, name, value, rows: offset + limit + 1 }
  if (!tx.dialect.isRemote) {
    const matches = await tx.all(ids, args)
    return { label, total: matches.length, ids: matches.map(({ record_id }) => record_id) }
  }
  const rows = await tx.all(first[isDescending(sort) ? 'desc' : 'asc'], args)
  return { label, total: rows[0]?.found ?? 0, rows: rows.filter(isRecord) }
}

const isRecord = (row: CountedRow): row is CountedRow & RecordRow => row.id !== null

function lookupOf(
  { object, usable }: Pick<ListQuery, 'object'> & { readonly usable: IsIndexUsable },
  { column, op, values }: Condition,
): Lookup | undefined {
  const [value = ''] = values
  if (op !== 'Is') return undefined
  if (column.kind === 'field' && column.guard !== undefined) return undefined
  if (column.kind === 'field' && column.field.relationship !== undefined) {
    return isId(String(value))
      ? {
          statements: statements.link,
          name: linkEndOf(object, column.field).relationship,
          value: String(value),
          label: `the links of ${column.name}`,
        }
      : undefined
  }
  // Unique values are compared without regard to case, whatever the field type does elsewhere.
  if (column.kind === 'field' && column.field.unique && column.field.type.exact !== true) {
    return {
      statements: statements.unique,
      name: uniqueName(object, column.field),
      value: uniqueValue(String(value)),
      label: `the unique values of ${column.name}`,
    }
  }
  const kind = orderedKind(column)
  // The index keeps only the beginning of longer texts.
  if (kind === undefined || !usable(object, column, kind) || (kind === 'text' && String(value).length >= textValueMax))
    return undefined
  return {
    statements: statements[kind],
    name: indexedColumn(object, column),
    value: kind === 'text' ? String(value) : Number(value),
    label: `the index of ${column.name}`,
  }
}
