import { multiValued, operators, valueless, filterConditionsMax, type Filter, type FilterQuery, type FilterValue, type Operator } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { suggestion } from '../../../kernel/nearest.ts'
import type { ObjectModel } from '../object.ts'
import { columnNames, findColumn, isTime, operatorsOf, type Column } from './columns.ts'

type FilterContext = WorkspaceReadContext<'unknown_field' | 'unknown_operator' | 'unknown_value'>

/** A condition whose field, operator and values are known to fit; what SQL is compiled from. */
export type Condition = { readonly column: Column; readonly op: Operator; readonly values: readonly (string | number)[] }

export type ResolvedFilter =
  | { readonly and: readonly ResolvedFilter[] }
  | { readonly or: readonly ResolvedFilter[] }
  | { readonly not: ResolvedFilter }
  | Condition

/** A leaf of a tree, with the parameter that it was sent as. */
type Leaf = Extract<Filter, { readonly field: string }> & { readonly parameter?: string }

/** The tree of a query string: each member is a condition or several on one field, and all must hold. */
export function filterTree(ctx: FilterContext, query: NonNullable<FilterQuery>): Filter {
  const conditions = Object.entries(query).flatMap(([field, given]): Leaf[] =>
    isByOperator(given)
      ? Object.entries(given).map(([op, value]) => ({ field, op: op as Operator, value, parameter: `filter[${field}][${op}]` }))
      : [{ field, op: 'Is', value: given, parameter: `filter[${field}]` }],
  )
  if (conditions.length > filterConditionsMax) {
    throw ctx.fail('invalid_parameter', { detail: `At most ${filterConditionsMax} conditions.`, source: { parameter: 'filter' } })
  }
  return { and: conditions }
}

const isByOperator = (given: unknown): given is Record<string, FilterValue | FilterValue[]> => typeof given === 'object' && given !== null && !Array.isArray(given)

/** Checks every name and value of a tree against the object. */
export function resolveFilter(ctx: FilterContext, object: ObjectModel, filter: Filter): ResolvedFilter {
  if ('and' in filter) return { and: filter.and.map((part) => resolveFilter(ctx, object, part)) }
  if ('or' in filter) return { or: filter.or.map((part) => resolveFilter(ctx, object, part)) }
  if ('not' in filter) return { not: resolveFilter(ctx, object, filter.not) }
  return resolveLeaf(ctx, object, filter)
}

function resolveLeaf(ctx: FilterContext, object: ObjectModel, leaf: Leaf): Condition {
  const column = findColumn(object, leaf.field)
  if (column === undefined) throw unknownField(ctx, object, leaf)
  const op = resolveOperator(ctx, column, leaf)
  return { column, op, values: valueless.has(op) ? [] : resolveValues(ctx, column, op, leaf) }
}

const sourceOf = ({ field, parameter }: Leaf) => ({ parameter: parameter ?? `filter[${field}]` })

function unknownField(ctx: FilterContext, object: ObjectModel, leaf: Leaf) {
  const allowed = columnNames(object, false)
  return ctx.fail('unknown_field', {
    detail: `"${leaf.field}" is no field that ${object.name} records are filtered by.${suggestion(leaf.field, allowed)}`,
    source: sourceOf(leaf),
    meta: { allowed },
  })
}

/** A bare value on a collection means "has this item"; on anything that is not, it means equality. */
function resolveOperator(ctx: FilterContext, column: Column, leaf: Leaf): Operator {
  const given: string = leaf.op
  const allowed = operatorsOf(column)
  const exact = allowed.find((op) => op === given) ?? allowed.find((op) => (operators[op] as readonly string[]).includes(given))
  if (exact !== undefined) return exact
  if (given === 'Is' && allowed.includes('Contains')) return 'Contains'
  throw ctx.fail('unknown_operator', {
    detail: `"${column.name}" has no operator "${given}".${suggestion(given, allowed)}`,
    source: sourceOf(leaf),
    meta: { allowed },
  })
}

function resolveValues(ctx: FilterContext, column: Column, op: Operator, leaf: Leaf): (string | number)[] {
  const given = leaf.value
  const list = multiValued.has(op) ? (typeof given === 'string' ? given.split(',') : [given].flat()) : [given]
  return list.map((value) => {
    const operand = value === null || typeof value === 'object' ? undefined : parseOperand(column, value)
    if (operand !== undefined) return operand
    const allowed = column.kind === 'field' && column.field.options !== undefined ? [...column.field.options] : undefined
    throw ctx.fail(allowed === undefined ? 'invalid_parameter' : 'unknown_value', {
      detail: `${JSON.stringify(value)} is no value to compare "${column.name}" with.${allowed === undefined ? '' : suggestion(String(value), allowed)}`,
      source: sourceOf(leaf),
      ...(allowed && { meta: { allowed } }),
    })
  })
}

function parseOperand(column: Column, value: string | number | boolean): string | number | undefined {
  if (column.kind === 'field') return column.field.type.parseOperand(value, column.field)
  if (!isTime(column)) return typeof value === 'string' ? value : undefined
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
