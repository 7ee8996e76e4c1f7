import type { Knex } from 'knex'
import type { Operator } from '@kontor/contract'
import type { Comparison } from '../../../db/dialect.ts'
import type { Sql } from '../../../db/tx.ts'
import { isId } from '../../../kernel/ids.ts'
import { comparedValue, isTime, type Column } from './columns.ts'
import type { Condition, ResolvedFilter } from './filter.ts'

const comparisons: Partial<Record<Operator, Comparison>> = {
  'Is': '=',
  'Greater than': '>',
  'Greater than or equal': '>=',
  'Less than': '<',
  'Less than or equal': '<=',
  'Is before': '<',
  'Is on or before': '<=',
  'Is after': '>',
  'Is on or after': '>=',
}

/** Operators that are the negation of another; they match empty values too (docs/decisions/0010). */
const negations: Partial<Record<Operator, Operator>> = {
  'Is not': 'Is',
  'Does not contain': 'Contains',
  'Not one of': 'One of',
  'Is not empty': 'Is empty',
  'Is set': 'Is empty',
}

/** A filter as a condition over `record as r`. */
export function filterCondition(sql: Sql, filter: ResolvedFilter): Knex.Raw {
  const { dialect, knex } = sql
  if ('and' in filter) return dialect.all(knex, filter.and.map((part) => filterCondition(sql, part)))
  if ('or' in filter) return dialect.any(knex, filter.or.map((part) => filterCondition(sql, part)))
  if ('not' in filter) return dialect.notTrue(knex, filterCondition(sql, filter.not))
  const negated = negations[filter.op]
  return negated === undefined ? condition(sql, filter) : dialect.notTrue(knex, condition(sql, { ...filter, op: negated }))
}

function condition(sql: Sql, filter: Condition): Knex.Raw {
  const { column, op, values } = filter
  const { dialect, knex } = sql
  if (op === 'Is empty' || op === 'Is not set') return dialect.isNull(knex, stored(sql, column))
  if (column.kind === 'field' && column.field.type.comparedAs === 'items') return containsItem(sql, filter)
  const compared = comparedValue(sql, column)
  // An id column takes no other text: what is no id equals no record.
  const operands = column.kind === 'system' && !isTime(column) ? values.filter((value) => isId(String(value))) : values
  if (op === 'One of' || operands.length === 0) return dialect.among(knex, compared, operands)
  const operand = operands[0] as string
  if (op === 'Contains') return dialect.contains(knex, compared, operand)
  if (op === 'Starts with') return dialect.startsWith(knex, compared, operand)
  if (op === 'Ends with') return dialect.endsWith(knex, compared, operand)
  return dialect.compare(knex, compared, comparisons[op] as Comparison, operand)
}

/** What is null exactly where the record has no value. */
const stored = (sql: Sql, column: Column): Knex.Raw =>
  column.kind === 'system' ? comparedValue(sql, column) : sql.dialect.jsonText(sql.knex, 'r.data', [column.field.key])

/** A collection has an item that equals the value, folded where the type is. */
function containsItem({ knex, dialect }: Sql, { column, values }: Condition): Knex.Raw {
  if (column.kind === 'system') return dialect.any(knex, [])
  const { key, type } = column.field
  const item = knex.ref('items.item') as unknown as Knex.Raw
  const items = dialect.aliased(knex, dialect.jsonItems(knex, 'r.data', [key, ...type.path]), 'items')
  const compared = type.exact === true ? item : dialect.fold(knex, item)
  return dialect.exists(knex, knex.select('items.item').from(items).where(dialect.compare(knex, compared, '=', values[0] as string)))
}
