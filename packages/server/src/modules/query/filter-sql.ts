import type { Knex } from 'knex'
import { defined, textOf } from '../../lib/guards.ts'
import type { Comparison } from '../../db/dialect.ts'
import type { Sql } from '../../db/tx.ts'
import { isId } from '../../kernel/ids.ts'
import { whereVisible } from '../access/index.ts'
import { isFound } from './search-sql.ts'
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

/** Operators that negate another; they also match empty values (docs/decisions/0010). */
const negations: Partial<Record<ConditionOperator, ConditionOperator>> = {
  'Is not': 'Is',
  'Does not contain': 'Contains',
  'Not one of': 'One of',
  'Is not empty': 'Is empty',
  'Is set': 'Is empty',
}

/** The part of a filter that a negation denies; undefined for a part that is no negation. */
export function deniedBy(filter: ResolvedFilter): ResolvedFilter | undefined {
  if ('not' in filter) return filter.not
  const op = 'column' in filter ? negations[filter.op] : undefined
  return op === undefined ? undefined : { ...(filter as Condition), op }
}

/** Compiles a filter to a condition over `record as r`, or over the record that `depth` relationship steps lead to. */
export function filterCondition(sql: Sql, filter: ResolvedFilter, depth = 0): Knex.Raw {
  const { dialect, knex } = sql
  if ('and' in filter)
    return dialect.all(
      knex,
      filter.and.map((part) => filterCondition(sql, part, depth)),
    )
  if ('or' in filter)
    return dialect.any(
      knex,
      filter.or.map((part) => filterCondition(sql, part, depth)),
    )
  if ('not' in filter) return dialect.notTrue(knex, filterCondition(sql, filter.not, depth))
  if ('search' in filter) return isFound(sql, filter.search, aliasAt(depth))
  if ('some' in filter)
    return along(sql, filter.some, depth, (end) =>
      filter.that === undefined ? dialect.all(knex, []) : filterCondition(sql, filter.that, end),
    )
  const reached = (op: ConditionOperator) =>
    along(sql, filter.steps, depth, (end) => condition(sql, { ...filter, op }, aliasAt(end)))
  // A path that leads to no record has no value, so a test for a value requires a record at its end.
  if (filter.steps.length > 0 && asksForSomething(filter.op)) return reached('Is not empty')
  const negated = filter.steps.length > 0 && isEmptiness(filter.op) ? 'Is not empty' : negations[filter.op]
  return negated === undefined ? reached(filter.op) : dialect.notTrue(knex, reached(negated))
}

const asksForSomething = (op: ConditionOperator): boolean => op === 'Is not empty' || op === 'Is set'

export const isEmptiness = (op: ConditionOperator): boolean => op === 'Is empty' || op === 'Is not set'

const aliasAt = (depth: number): string => (depth === 0 ? 'r' : `r${depth}`)

/**
 * Follows relationships and asks a condition of any record at their end. Hidden records count as missing. Each step is
 * a lookup by key: given a join, Postgres joins whole tables in any order as long as it has no statistics on them.
 */
function along(
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
      .from(dialect.recordAt(knex, { workspaceId, id }, to))
      .where(`${to}.object`, step.entity.key)
      .whereNull(`${to}.deleted_at`)
      .where(along(sql, steps, depth + 1, ask))
    return dialect.isThere(knex, whereVisible(sql, reached, to, step.principal))
  }
  const { field, place, isToMany } = step
  if (!isToMany) return isReached(dialect.jsonId(knex, `${from}.data`, field.key))
  const links = knex('link as via')
    .select('via.from_id')
    .where({
      'via.workspace_id': workspaceId,
      'via.relationship': place.relationship,
      [`via.${place.end}`]: ref(knex, `${from}.id`),
    })
    .whereNull('via.hidden_by')
    .where(isReached(ref(knex, `via.${otherEnd(place)}`)))
  return dialect.isThere(knex, links.limit(1))
}

const ref = (knex: Knex, column: string): Knex.Raw => knex.ref(column)

function condition(sql: Sql, filter: Condition, alias: string): Knex.Raw {
  const { column, op, values } = filter
  const { dialect, knex } = sql
  if (isEmptiness(op)) return isEmpty(sql, column, alias)
  if (op === 'Is not empty') return dialect.notTrue(knex, isEmpty(sql, column, alias))
  if (column.kind === 'field' && column.field.type.comparedAs === 'items') return hasItem(sql, filter, alias)
  const compared = comparedValue(sql, column, alias)
  // An id column accepts ids only: any other text equals no record.
  const operands = column.kind === 'system' && !isTime(column) ? values.filter((value) => isId(String(value))) : values
  if (op === 'One of' || operands.length === 0) return dialect.among(knex, compared, operands)
  const operand = defined(operands[0])
  if (op === 'Contains') return dialect.contains(knex, compared, textOf(operand))
  if (op === 'Starts with') return dialect.startsWith(knex, compared, textOf(operand))
  if (op === 'Ends with') return dialect.endsWith(knex, compared, textOf(operand))
  if (op === 'Like') return dialect.like(knex, compared, textOf(operand))
  return dialect.compare(knex, compared, comparisonOf(op), operand)
}

/** A test for a record without a value, or with no value but options that are being cleared. */
function isEmpty(sql: Sql, column: Column, alias: string): Knex.Raw {
  const { dialect, knex } = sql
  const none = dialect.isNull(knex, stored(sql, column, alias))
  if (column.kind === 'system' || column.field.clearing.length === 0) return none
  const { key, type, clearing } = column.field
  if (type.comparedAs !== 'items')
    return dialect.any(knex, [none, dialect.among(knex, stored(sql, column, alias), clearing)])
  const items = dialect.aliased(knex, dialect.jsonItems(knex, `${alias}.data`, [key, ...type.path]), 'items')
  return dialect.notTrue(
    knex,
    dialect.exists(
      knex,
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
        sql.knex,
        `${alias}.data`,
        column.part === undefined ? [column.field.key] : [column.field.key, column.part],
      )

/**
 * A test for an item of a collection that equals the value (folded if the type folds) or contains it (always folded).
 */
function hasItem({ knex, dialect }: Sql, { column, op, values }: Condition, alias: string): Knex.Raw {
  if (column.kind === 'system') return dialect.any(knex, [])
  const { key, type } = column.field
  const item = knex.ref('items.item') as unknown as Knex.Raw
  const path = [key, ...type.path]
  const [first, ...others] = type.itemMembers ?? []
  const members = op === 'Contains' ? [first, ...others] : [first]
  const texts = members.map((member) =>
    member === undefined
      ? dialect.jsonItems(knex, `${alias}.data`, path)
      : dialect.jsonItemMembers(knex, `${alias}.data`, path, member, member === first),
  )
  const [value = ''] = values.map(String)
  const compared = type.exact === true && op === 'Is' ? item : dialect.fold(knex, item)
  const holds = op === 'Is' ? dialect.compare(knex, compared, '=', value) : dialect.contains(knex, compared, value)
  return dialect.any(
    knex,
    texts.map((text) =>
      dialect.exists(
        knex,
        knex
          .select('items.item')
          .from(dialect.aliased(knex, text, 'items'))
          .where(holds),
      ),
    ),
  )
}
