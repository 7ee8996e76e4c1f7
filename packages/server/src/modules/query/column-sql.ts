import type { Knex } from 'knex'
import type { Sql } from '../../db/tx.ts'
import { whereVisible } from '../access/index.ts'
import type { Field } from '../fields/index.ts'
import { textValueMax } from '../indexes/index.ts'
import { isNumeric, type Column, type ReferenceGuard } from '../objects/index.ts'

/** The SQL value that comparisons use, null if there is none; `alias` is the record's name in the query. */
export function comparedValue(sql: Sql, column: Column, alias = 'r'): Knex.Raw {
  const { knex, dialect } = sql
  if (column.kind === 'system') return knex.ref(`${alias}.${column.column}`)
  if (column.guard !== undefined) return seenReference(sql, column.field, column.guard, alias)
  const data = `${alias}.data`
  const { key, type } = column.field
  if (type.comparedAs === 'number') return dialect.jsonNumber(knex, data, [key])
  if (type.comparedAs === 'flag') return dialect.jsonFlag(knex, data, [key])
  const path =
    type.comparedAs === 'items' ? [key, ...type.path, 0, ...(type.itemMembers?.slice(0, 1) ?? [])] : [key, ...type.path]
  const raw = type.nested === true ? dialect.jsonTexts(knex, data, path) : dialect.jsonText(knex, data, path)
  const text = dialect.without(knex, raw, column.field.clearing)
  return type.exact === true ? text : dialect.fold(knex, text)
}

/** The id that a field refers to, null if the caller may not see that record. */
function seenReference(sql: Sql, { key }: Field, { entity, principal }: ReferenceGuard, alias: string): Knex.Raw {
  const { knex, dialect } = sql
  const referred = knex('record as seen')
    .select(dialect.jsonText(knex, `${alias}.data`, [key]))
    .where({ 'seen.workspace_id': principal.workspaceId, 'seen.object': entity.key })
    .where('seen.id', dialect.jsonId(knex, `${alias}.data`, key))
    .whereNull('seen.deleted_at')
  return dialect.asValue(knex, whereVisible(sql, referred, 'seen', principal))
}

/**
 * The SQL value that sorting uses: the compared value, cut to the length that the field index keeps, so that sorting
 * records and scanning the index give one order.
 */
export const sortedValue = (sql: Sql, column: Column): Knex.Raw =>
  isNumeric(column) || column.kind === 'system'
    ? comparedValue(sql, column)
    : sql.dialect.prefix(sql.knex, comparedValue(sql, column), textValueMax)
