import { asValue, compare, limited, recordsOf } from '../../../db/expressions.ts'
import type { Knex } from 'knex'
import type { ReadTx, Sql, Statement } from '../../../db/tx.ts'
import { param, statement } from '../../../db/statement.ts'
import { isId } from '../../../kernel/ids.ts'
import { seesAll } from '../../access/index.ts'
import { textValueMax, uniqueValue, orderedKind, placeOf } from '../../indexes/index.ts'
import { linkOf, uniqueName, recordColumns, type RecordRow } from '../../objects/index.ts'
import { conjunctsOf, type Condition } from '../filter.ts'
import type { ListQuery } from '../list-query.ts'
import type { IsIndexUsable } from './access-path.ts'

/** Most records that are looked up on the main thread. */
export const idListMax = 100

type Args = {
  readonly workspace_id: string
  readonly object: string
  readonly name: string
  readonly value: string | number
  readonly rows: number
}

/** One of the first records, and the count of all. The record is null if there is none, or if there are too many. */
type FoundRow = { readonly found: number } & (RecordRow | { readonly id: null })

type Direction = 'asc' | 'desc'

type Found = { readonly record_id: string }

/** Prepared statements: they answer before an ad-hoc query is even built. */
type Lookups = {
  readonly ids: Statement<Args, Found>
  readonly first: Readonly<Record<Direction, Statement<Args, FoundRow>>>
}

/** A lookup of one value in the index that holds it. */
type Lookup = {
  readonly statements: Lookups
  readonly name: string
  readonly value: string | number
  readonly label: string
}

function lookups(rowsOf: (knex: Knex) => Knex.QueryBuilder): Lookups {
  const some = (knex: Knex): Knex.QueryBuilder => rowsOf(knex).limit(idListMax + 1)
  /** Counts the matches, and reads the first records if the matches are few. */
  const first = (order: Direction) =>
    statement<Args, FoundRow>((sql) => {
      const { knex } = sql
      return knex
        .withMaterialized('f', some(knex))
        .with('r', firstOf(sql, order))
        .select('c.found', ...recordColumns.map((column) => `r.${column}`))
        .from(countOf(knex).as('c'))
        .leftJoin('r', (join) => void join.onVal('c.found', '<=', idListMax))
    })
  return { ids: statement(({ knex }) => some(knex)), first: { asc: first('asc'), desc: first('desc') } }
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
      .where(compare(sql, asValue(sql, countOf(sql.knex)), '<=', idListMax))
      .orderBy([
        { column: 'r.created_at', order },
        { column: 'r.id', order },
      ]),
    param('rows'),
  )

const ordered = (table: 'field_text' | 'field_number', value: string): Lookups =>
  lookups((knex) =>
    knex(table)
      .select('record_id')
      .where({ workspace_id: param('workspace_id'), field: param('name'), is_null: 0, [value]: param('value') }),
  )

const statements = {
  text: ordered('field_text', 'text_value'),
  number: ordered('field_number', 'number_value'),
  unique: lookups((knex) =>
    knex('unique_key')
      .select('record_id')
      .where({ workspace_id: param('workspace_id'), field: param('name'), key_value: param('value') }),
  ),
  link: lookups((knex) =>
    knex('link')
      .select('from_id as record_id')
      .where({ workspace_id: param('workspace_id'), relationship: param('name'), to_id: param('value') })
      .whereNull('hidden_by'),
  ),
}

/** Tells whether a page is the first one by creation, as most are: its records need no separate sort keys. */
export const isByCreation = ({ sort, position }: ListQuery): boolean =>
  position === undefined && sort.length === 1 && sort[0]?.column.name === '_created_at'

type Placed = { readonly created_at: number; readonly id: string }

/** Sorts the records of such a page. */
export function inCreationOrder<Row extends Placed>(rows: readonly Row[], { sort }: ListQuery): Row[] {
  const sign = isDescending(sort) ? -1 : 1
  return rows.toSorted((a, b) => sign * (a.created_at - b.created_at || (a.id < b.id ? -1 : 1)))
}

export const isDescending = ([first]: ListQuery['sort']): boolean => first?.descending === true

/**
 * Reads the list by the ids of all its records (`found`), or has read it already (`few`): one record more than the page
 * has.
 */
export type IdListPlan = { readonly label: string } & (
  | { readonly by: 'found'; readonly ids: readonly string[] }
  | { readonly by: 'few'; readonly rows: readonly RecordRow[] }
)

export type IdList = { readonly page: IdListPlan; readonly total: number }

/**
 * Finds all records of a list that is filtered by one value of one column, if an index holds the value and few records
 * have it. Most filtered lists are of this kind, and planning them would cost more than reading them. Returns `many` if
 * too many records have the value, undefined if the list is of another kind.
 */
export async function findIdList(
  tx: ReadTx,
  request: ListQuery,
  usable: IsIndexUsable,
): Promise<IdList | 'many' | undefined> {
  const { workspaceId, object, principal, filter, idSet, sort, offset, limit } = request
  const [condition, ...others] = filter === undefined ? [] : conjunctsOf(filter)
  const isSimple =
    condition !== undefined &&
    others.length === 0 &&
    'column' in condition &&
    condition.steps.length === 0 &&
    condition.values.length === 1
  if (!isSimple || !isByCreation(request) || idSet !== undefined || !seesAll(principal)) return undefined
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
    const found = await tx.all(ids, args)
    return found.length > idListMax
      ? 'many'
      : { page: { by: 'found', ids: found.map(({ record_id }) => record_id), label }, total: found.length }
  }
  const rows = await tx.all(first[isDescending(sort) ? 'desc' : 'asc'], args)
  const total = rows[0]?.found ?? 0
  return total > idListMax
    ? 'many'
    : { page: { by: 'few', rows: inCreationOrder(rows.filter(isRecord), request).slice(offset), label }, total }
}

const isRecord = (row: FoundRow): row is FoundRow & RecordRow => row.id !== null

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
          name: linkOf(object, column.field).relationship,
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
    name: placeOf(object, column),
    value: kind === 'text' ? String(value) : Number(value),
    label: `the index of ${column.name}`,
  }
}
