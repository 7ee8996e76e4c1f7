import {
  aliased,
  allOf,
  inList,
  anyOf,
  compare,
  exists,
  isNull,
  findsRow,
  like,
  isNotTrue,
  recordAt,
  startsWith,
  type Comparison,
} from '../../db/expressions.ts'
import type { Knex } from 'knex'
import { defined, textOf } from '../../lib/guards.ts'
import type { Sql } from '../../db/sql.ts'
import { isId } from '../../kernel/ids.ts'
import { whereVisible } from '../access/index.ts'
import { matchesSearch } from './search-sql.ts'
import { isTime, type Column, otherEnd } from '../objects/index.ts'
import { comparedValue } from './column-sql.ts'
import type { Condition, ConditionOperator, RelationshipStep, ResolvedFilter } from './filter.ts'

const comparisons: Partial<Record<ConditionOperator, Comparison>> = {
  Is: '=',
  'Greater than': '>',
  'Greater than or equal': '>=',
  'Less than': '<',
  'Less than or equal': '<=',
  'Is before': '<',
  'Is on or before': '<=',
  'Is after': '>',
  'Is on or after': '>=',
}

/** The SQL comparison for an operator that takes one value. */
export const comparisonOf = (op: ConditionOperator): Comparison => defined(comparisons[op])

export const isOrderComparison = (op: ConditionOperator): boolean => op !== 'Is' && op in comparisons

/** Operators that negate another; they also match empty values (docs/decisions/0034). */
const negations: Partial<Record<ConditionOperator, ConditionOperator>> = {
  'Is not': 'Is',
  'Does not contain': 'Contains',
  'Not one of': 'One of',
  'Is not empty': 'Is empty',
  'Is set': 'Is empty',
}

/** The part of a filter that a negation denies; undefined for a part that is no negation. */
export function negatedPart(filter: ResolvedFilter): ResolvedFilter | undefined {
  if ('not' in filter) return filter.not
  if (!('column' in filter)) return undefined
  const op = negations[filter.op]
  return op === undefined ? undefined : { ...filter, op }
}

/** Compiles a filter to a condition over `record as r`, or over the record that `depth` relationship steps lead to. */
export function filterCondition(sql: Sql, filter: ResolvedFilter, depth = 0): Knex.Raw {
  if ('and' in filter)
    return allOf(
      sql,
      filter.and.map((part) => filterCondition(sql, part, depth)),
    )
  if ('or' in filter)
    return anyOf(
      sql,
      filter.or.map((part) => filterCondition(sql, part, depth)),
    )
  if ('not' in filter) return isNotTrue(sql, filterCondition(sql, filter.not, depth))
  if ('search' in filter) return matchesSearch(sql, filter.search, aliasAt(depth))
  if ('exists' in filter)
    return existsAlong(sql, filter.exists, depth, (end) =>
      filter.where === undefined ? allOf(sql, []) : filterCondition(sql, filter.where, end),
    )
  const reached = (op: ConditionOperator) =>
    existsAlong(sql, filter.steps, depth, (end) => condition(sql, { ...filter, op }, aliasAt(end)))
  // A path that leads to no record has no value, so a test for a value requires a record at its end.
  if (filter.steps.length > 0 && requiresValue(filter.op)) return reached('Is not empty')
  const negated = filter.steps.length > 0 && isEmptyTest(filter.op) ? 'Is not empty' : negations[filter.op]
  return negated === undefined ? reached(filter.op) : isNotTrue(sql, reached(negated))
}

const requiresValue = (op: ConditionOperator): boolean => op === 'Is not empty' || op === 'Is set'

export const isEmptyTest = (op: ConditionOperator): boolean => op === 'Is empty' || op === 'Is not set'

const aliasAt = (depth: number): string => (depth === 0 ? 'r' : `r${depth}`)

/**
 * Follows relationships and asks a condition of any record at their end. Hidden records count as missing. Each step is
 * a lookup by key: given a join, Postgres joins whole tables in any order as long as it has no statistics on them.
 */
function existsAlong(
  sql: Sql,
  [step, ...steps]: readonly RelationshipStep[],
  depth: number,
  ask: (depth: number) => Knex.Raw,
): Knex.Raw {
  const { dialect, knex } = sql
  if (step === undefined) return ask(depth)
  const [from, to] = [aliasAt(depth), aliasAt(depth + 1)]
  const { workspaceId } = step.principal
  const isReached = (id: Knex.Raw): Knex.Raw => {
    const reached = knex
      .select(`${to}.id`)
      .from(recordAt(sql, { workspaceId, id }, to))
      .where(`${to}.object`, step.target.key)
      .whereNull(`${to}.deleted_at`)
      .where(existsAlong(sql, steps, depth + 1, ask))
    return findsRow(sql, whereVisible(sql, reached, to, step.principal))
  }
  const { field, linkEnd, isToMany } = step
  if (!isToMany) return isReached(dialect.jsonId(`${from}.data`, field.key))
  const links = knex('link as via')
    .select('via.from_id')
    .where({
      'via.workspace_id': workspaceId,
      'via.relationship': linkEnd.relationship,
      [`via.${linkEnd.end}`]: ref(knex, `${from}.id`),
    })
    .whereNull('via.hidden_by')
    .where(isReached(ref(knex, `via.${otherEnd(linkEnd)}`)))
  return findsRow(sql, links.limit(1))
}

const ref = (knex: Knex, column: string): Knex.Raw => knex.ref(column)

function condition(sql: Sql, filter: Condition, alias: string): Knex.Raw {
  const { column, op, values } = filter
  const { dialect } = sql
  if (isEmptyTest(op)) return isEmpty(sql, column, alias)
  if (op === 'Is not empty') return isNotTrue(sql, isEmpty(sql, column, alias))
  if (column.kind === 'field' && column.field.type.comparedAs === 'items') return hasItem(sql, filter, alias)
  const compared = comparedValue(sql, column, alias)
  // An id column accepts ids only: any other text equals no record.
  const operands = column.kind === 'system' && !isTime(column) ? values.filter((value) => isId(String(value))) : values
  if (op === 'One of' || operands.length === 0) return inList(sql, compared, operands)
  const operand = defined(operands[0])
  if (op === 'Contains') return dialect.contains(compared, textOf(operand))
  if (op === 'Starts with') return startsWith(sql, compared, textOf(operand))
  if (op === 'Ends with') return dialect.endsWith(compared, textOf(operand))
  if (op === 'Like') return like(sql, compared, textOf(operand))
  return compare(sql, compared, comparisonOf(op), operand)
}

/** A test for a record without a value, or with no value but options that are being cleared. */
function isEmpty(sql: Sql, column: Column, alias: string): Knex.Raw {
  const { dialect, knex } = sql
  const none = isNull(sql, stored(sql, column, alias))
  if (column.kind === 'system' || column.field.clearing.length === 0) return none
  const { key, type, clearing } = column.field
  if (type.comparedAs !== 'items') return anyOf(sql, [none, inList(sql, stored(sql, column, alias), clearing)])
  const items = aliased(sql, dialect.jsonItems(`${alias}.data`, [key, ...type.path]), 'items')
  return isNotTrue(
    sql,
    exists(
      sql,
      knex
        .select('items.item')
        .from(items)
        .whereNotIn('items.item', [...clearing]),
    ),
  )
}

/** An expression that is null exactly where the record has no value. */
const stored = (sql: Sql, column: Column, alias: string): Knex.Raw =>
  column.kind === 'system' || column.guard !== undefined
    ? comparedValue(sql, column, alias)
    : sql.dialect.jsonText(
        `${alias}.data`,
        column.part === undefined ? [column.field.key] : [column.field.key, column.part],
      )

/**
 * A test for an item of a collection that equals the value (folded if the type folds) or contains it (always folded).
 */
function hasItem(sql: Sql, { column, op, values }: Condition, alias: string): Knex.Raw {
  if (column.kind === 'system') return anyOf(sql, [])
  const { key, type } = column.field
  const item = sql.ref('items.item')
  const path = [key, ...type.path]
  const [first, ...others] = type.itemMembers ?? []
  const members = op === 'Contains' ? [first, ...others] : [first]
  const texts = members.map((member) =>
    sql.dialect.jsonItems(
      `${alias}.data`,
      path,
      member === undefined ? undefined : { name: member, orText: member === first },
    ),
  )
  const [value = ''] = values.map(String)
  const compared =
    type.itemForm !== undefined
      ? sql.dialect.phone(item)
      : type.exact === true && op === 'Is'
        ? item
        : sql.dialect.fold(item)
  const holds = op === 'Is' ? compare(sql, compared, '=', value) : sql.dialect.contains(compared, value)
  return anyOf(
    sql,
    texts.map((text) =>
      exists(
        sql,
        sql.knex
          .select('items.item')
          .from(aliased(sql, text, 'items'))
          .where(holds),
      ),
    ),
  )
}
