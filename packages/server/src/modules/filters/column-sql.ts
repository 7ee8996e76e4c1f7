import { isLive, scalarSubquery, jsonFlag, jsonNumber, positionIn, prefix, nullIfIn } from '../../db/expressions.ts'
import type { Knex } from 'knex'
import type { Sql } from '../../db/sql.ts'
import { whereVisible } from '../access/index.ts'
import type { Field } from '../fields/index.ts'
import { textValueMax } from '../indexes/index.ts'
import { isNumeric, type Column, type ReferenceGuard } from '../objects/index.ts'

type RankedColumn = Extract<Column, { kind: 'field' }>

/** Tells whether a list is sorted by the order of a column's options, and not by their names. */
export const isRanked = (column: Column): column is RankedColumn =>
  column.kind === 'field' && column.field.type.name === 'select'

/** The options of a select in their order: by rank, or where they have none by their place. */
export function rankedOptions({ options, schema }: Field): string[] {
  const places = [...(options ?? [])].map((option, place) => ({
    option,
    rank: schema.xSvcEnumMetadata?.[option]?.rank ?? place,
  }))
  return places.toSorted((one, other) => one.rank - other.rank).map(({ option }) => option)
}

/** The SQL value that comparisons use, null if there is none; `alias` is the record's name in the query. */
export function comparedValue(sql: Sql, column: Column, alias = 'r'): Knex.Raw {
  const value = storedValue(sql, column, alias)
  return isFolded(column) ? sql.dialect.fold(value) : value
}

/** Tells whether a column compares as text regardless of case. */
const isFolded = (column: Column): boolean =>
  column.kind === 'field' &&
  column.guard === undefined &&
  column.field.type.comparedAs !== 'number' &&
  column.field.type.comparedAs !== 'flag' &&
  column.field.type.exact !== true

/** The SQL value of a column as it is stored, null if there is none. */
export function storedValue(sql: Sql, column: Column, alias = 'r'): Knex.Raw {
  const { knex, dialect } = sql
  if (column.kind === 'system') return knex.ref(`${alias}.${column.column}`)
  if (column.guard !== undefined) return visibleReference(sql, column.field, column.guard, alias)
  const data = `${alias}.data`
  const { key, type } = column.field
  if (type.comparedAs === 'number') return jsonNumber(sql, data, [key])
  if (type.comparedAs === 'flag') return jsonFlag(sql, data, [key])
  const path =
    type.comparedAs === 'items' ? [key, ...type.path, 0, ...(type.itemMembers?.slice(0, 1) ?? [])] : [key, ...type.path]
  const raw = type.nested === true ? dialect.jsonTexts(data, path) : dialect.jsonText(data, path)
  return nullIfIn(sql, raw, column.field.clearing)
}

/** The id that a field refers to, null if the caller may not see that record. */
function visibleReference(sql: Sql, { key }: Field, { target, principal }: ReferenceGuard, alias: string): Knex.Raw {
  const { knex, dialect } = sql
  const referred = knex('record as seen')
    .select(dialect.jsonText(`${alias}.data`, [key]))
    .where({ 'seen.workspace_id': principal.workspaceId, 'seen.object': target.key })
    .where('seen.id', dialect.jsonId(`${alias}.data`, key))
    .where(isLive(sql, 'seen'))
  return scalarSubquery(sql, whereVisible(sql, referred, 'seen', principal))
}

/**
 * The SQL value that sorting uses: the place of an option, or else the compared value, cut to the length that the field
 * index keeps, so that sorting records and scanning the index give one order.
 */
export const sortedValue = (sql: Sql, column: Column): Knex.Raw =>
  isRanked(column)
    ? positionIn(sql, comparedValue(sql, column), rankedOptions(column.field))
    : isNumeric(column) || column.kind === 'system'
      ? comparedValue(sql, column)
      : prefix(sql, comparedValue(sql, column), textValueMax)
