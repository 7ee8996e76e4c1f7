import { allOf, inList, anyOf, compare, hasLength, findsRow, like, isNotTrue } from '../../../db/expressions.ts'
import type { Knex } from 'knex'
import { defined } from '../../../lib/guards.ts'
import type { Sql } from '../../../db/sql.ts'
import { truncate, textValueMax, indexedColumn } from '../../indexes/index.ts'
import type { ObjectModel, Column } from '../../objects/index.ts'
import {
  type Condition,
  type ConditionOperator,
  comparisonOf,
  filterCondition,
  isOrderComparison,
} from '../../filters/index.ts'

/** An index table that holds the values of a column in order. */
export type OrderedIndex = {
  readonly table: 'field_text' | 'field_number'
  readonly value: 'text_value' | 'number_value'
  readonly field: string
}

export const orderedIndex = (object: Pick<ObjectModel, 'key'>, column: Column, kind: 'text' | 'number'): OrderedIndex =>
  kind === 'text'
    ? { table: 'field_text', value: 'text_value', field: indexedColumn(object, column) }
    : { table: 'field_number', value: 'number_value', field: indexedColumn(object, column) }

/** A range of an ordered index: the rows of empty values, or the rows whose values satisfy the conditions. */
export type IndexRange = {
  readonly index: OrderedIndex
  readonly empty: boolean
  readonly conditions: readonly Condition[]
}

/** Narrows a query over the index table, aliased `s`, to a range. */
export function whereInRange(
  sql: Sql,
  query: Knex.QueryBuilder,
  workspaceId: string,
  { index, empty, conditions }: IndexRange,
): Knex.QueryBuilder {
  query.where({ 's.workspace_id': workspaceId, 's.field': index.field, 's.is_null': empty ? 1 : 0 })
  for (const condition of conditions)
    query.where(
      index.table === 'field_text' ? textCondition(sql, workspaceId, condition) : numberCondition(sql, condition),
    )
  return query
}

function numberCondition(sql: Sql, { op, values }: Condition): Knex.Raw {
  const value = sql.knex.ref('s.number_value')
  return op === 'One of' ? inList(sql, value, values) : compare(sql, value, comparisonOf(op), defined(values[0]))
}

const lengthOf = (text: string): number => Array.from(text).length

/**
 * A condition on texts in the index. The index keeps only the beginning of long texts; where their end may matter, the
 * record itself is checked.
 */
function textCondition(sql: Sql, workspaceId: string, condition: Condition): Knex.Raw {
  const { knex, dialect } = sql
  const record = asRecord(sql, workspaceId, condition)
  const { op } = condition
  const value = knex.ref('s.text_value')
  const operands = condition.values.map(String)
  const [operand = ''] = operands
  if (op === 'Contains') return orAsRecord(sql, dialect.contains(value, operand), record)
  if (op === 'Like') return orAsRecord(sql, like(sql, value, operand), record)
  if (op === 'Ends with') return orAsRecord(sql, dialect.endsWith(value, operand), record)
  if (op === 'Starts with')
    return lengthOf(operand) <= textValueMax
      ? beginning(sql, value, operand)
      : allOf(sql, [compare(sql, value, '=', truncate(operand)), record])
  if (op !== 'Is' && op !== 'One of') return compare(sql, value, comparisonOf(op), operand)
  const equal = inList(sql, value, operands.map(truncate))
  return operands.every((text) => lengthOf(text) < textValueMax) ? equal : allOf(sql, [equal, record])
}

/** A condition that the index decides for whole texts; for a text that was cut, the record decides. */
function orAsRecord(sql: Sql, whole: Knex.Raw, record: Knex.Raw): Knex.Raw {
  const isCut = hasLength(sql, sql.knex.ref('s.text_value'), textValueMax)
  return anyOf(sql, [allOf(sql, [isNotTrue(sql, isCut), whole]), allOf(sql, [isCut, record])])
}

/** A recheck of a condition on the record of a row `s`. */
export const asRecord = (sql: Sql, workspaceId: string, condition: Condition): Knex.Raw =>
  findsRow(
    sql,
    sql
      .knex('record as r')
      .select('r.id')
      .where({ 'r.workspace_id': workspaceId, 'r.id': sql.knex.ref('s.record_id') })
      .where(filterCondition(sql, condition)),
  )

/** The range of texts that begin with a given one: from that text up to the next text of its length. */
function beginning(sql: Sql, value: Knex.Raw, text: string): Knex.Raw {
  const from = compare(sql, value, '>=', text)
  const until = nextText(text)
  return until === undefined ? from : allOf(sql, [from, compare(sql, value, '<', until)])
}

const lastPoint = 0x10ffff
const surrogates = { first: 0xd800, last: 0xdfff }

/** The first text after all those that begin with the given one; undefined if there is none. */
export function nextText(text: string): string | undefined {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  while (points.at(-1) === lastPoint) points.pop()
  const last = points.pop()
  if (last === undefined) return undefined
  const next = last + 1
  return String.fromCodePoint(...points, next === surrogates.first ? surrogates.last + 1 : next)
}

const valueOperators: ReadonlySet<ConditionOperator> = new Set<ConditionOperator>([
  'Is',
  'One of',
  'Contains',
  'Starts with',
  'Ends with',
  'Like',
])

/** Tells whether the rows of values can answer an operator: it is not a negation, and does not ask for empty values. */
export const usesValueRows = (op: ConditionOperator): boolean => valueOperators.has(op) || isOrderComparison(op)
