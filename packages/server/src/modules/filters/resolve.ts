import {
  filterValuesMax,
  multiValued,
  operators,
  valueless,
  valuelessText,
  meantOperator,
  defaultSettings,
  type FilterQuery,
  type FilterValue,
  type Operator,
  suggestion,
} from '@kontor/contract'
import { defined, isOneOf } from '../../lib/guards.ts'
import { fold } from '../../db/fold.ts'
import { findSettings } from '../settings/index.ts'
import { workspaceSchemas, type WorkspaceSchemas } from '../schemas/index.ts'
import { parseTimestamp } from '../fields/index.ts'
import { compileObject, type ObjectModel, isCollection, isTime, operatorsOf, type Column } from '../objects/index.ts'
import {
  listed,
  exceededLimit,
  leavesOf,
  fromQuery,
  operatorOn,
  type Condition,
  type GivenFilter,
  type GivenCondition,
  type ResolvedFilter,
} from './filter.ts'
import { comparedInstant, dayComparisons, isOfInstants, mayBeLocal } from './days.ts'
import { parseShorthand } from './shorthand.ts'
import type { LocationOf } from '../../kernel/error-locations.ts'
import { dateText, parsePeriod, periodNames, type Period } from '../../lib/period.ts'
import { findColumnPath, type ColumnPath, type FilterContext, type WorkspaceModels } from './column-path.ts'

/** Of a call that filters, with the time zone in which days begin. */
type ZonedContext = FilterContext & { readonly timeZone: string; readonly fiscalOffset?: number }

/** The time zone of the workspace, where a filter asks for a period, a day or a local time; else it does not matter. */
async function zoned(ctx: FilterContext, filter: GivenFilter): Promise<ZonedContext> {
  const asks = leavesOf(filter).some(
    ({ op, value }) =>
      op === 'Within' || isOneOf<string | undefined>(operators.Within, op) || [value].flat().some(mayBeLocal),
  )
  const settings = asks ? await findSettings(ctx.tx, ctx.workspace.workspaceId) : defaultSettings
  return { ...ctx, timeZone: settings.time_zone, fiscalOffset: settings.fiscalYearOffset }
}

/** Checks every name and value of a filter against the objects that it names. */
export async function resolveFilter(
  ctx: FilterContext,
  object: ObjectModel,
  filter: GivenFilter,
  sourceOf: LocationOf,
): Promise<ResolvedFilter> {
  const [inZone, schemas] = await Promise.all([zoned(ctx, filter), workspaceSchemas(ctx)])
  return resolveBy(inZone, schemas, object, filter, sourceOf)
}

/** Checks a filter against given schemas. */
export function resolveBy(
  ctx: ZonedContext,
  schemas: WorkspaceSchemas,
  object: ObjectModel,
  filter: GivenFilter,
  sourceOf: LocationOf,
): ResolvedFilter {
  const tooMuch = exceededLimit(filter)
  if (tooMuch !== undefined) throw ctx.fail('invalid_parameter', { detail: tooMuch, source: sourceOf() })
  const models = new Map([...schemas.values()].map((schema) => [schema.title, compileObject(schema)]))
  const resolve = (part: GivenFilter): ResolvedFilter => {
    if ('and' in part) return { and: part.and.map(resolve) }
    if ('or' in part) return { or: part.or.map(resolve) }
    if ('not' in part) return { not: resolve(part.not) }
    return resolveLeaf(ctx, { models, schemas }, object, part)
  }
  return resolve(filter)
}

const resolveLeaf = (
  ctx: ZonedContext,
  models: WorkspaceModels,
  object: ObjectModel,
  leaf: GivenCondition,
): ResolvedFilter => resolveAt(ctx, findColumnPath(ctx, models, object, leaf), leaf)

/** Checks the filter of a query string against given columns alone, which need not belong to an object. */
export async function resolveByColumns(
  ctx: FilterContext,
  columns: readonly Column[],
  filter: NonNullable<FilterQuery>,
): Promise<ResolvedFilter> {
  const given = fromQuery(filter)
  const inZone = await zoned(ctx, given)
  const allowed = columns.map(({ name }) => name)
  return {
    and: given.and.map((leaf) => {
      const column = columns.find(({ name }) => name === leaf.field)
      if (column !== undefined) return resolveAt(inZone, { steps: [], column }, leaf)
      throw ctx.fail('unknown_field', {
        detail: `This list cannot be filtered by "${leaf.field.slice(0, 64)}".${suggestion(leaf.field, allowed)}`,
        source: leaf.source,
        meta: { allowed },
      })
    }),
  }
}

/** Checks the operator and the values of a condition. */
function resolveAt(ctx: ZonedContext, { steps, column }: ColumnPath, leaf: GivenCondition): ResolvedFilter {
  const meaning = leaf.op === undefined ? parseShorthand(column, leaf.value) : { op: leaf.op, value: leaf.value }
  if (meaning === undefined)
    throw ctx.fail('invalid_parameter', {
      detail: `Several values of "${column.name}" cannot use short forms such as ">5"; name the operator.`,
      source: leaf.source,
    })
  const op = resolveOperator(ctx, column, meaning.op, leaf)
  if (valueless.has(op)) {
    const meant = meantOperator(op, meaning.value) ?? (leaf.isStored && op)
    if (meant !== undefined) return { steps, column, op: meant, values: [] }
    throw ctx.fail('invalid_parameter', { detail: valuelessText(op), source: leaf.source })
  }
  if (op === 'Within') return within(ctx, { steps, column }, meaning.value, leaf)
  const values = valuesOf(column, op, meaning.value, leaf)
  if (values.length > filterValuesMax)
    throw ctx.fail('invalid_parameter', {
      detail: `A condition can list at most ${filterValuesMax} values.`,
      source: leaf.source,
    })
  if (isCollection(column) && (op === 'Contains' || op === 'Does not contain'))
    return byParts(ctx, { steps, column }, op, values, leaf)
  if (isOfInstants(column)) return byInstants(ctx, { steps, column }, op, values, leaf)
  const operands = values.map((value) => resolveValue(ctx, column, value, leaf))
  if (operatorOn(column, op) !== op) return anyOf({ steps, column }, operatorOn(column, op), operands)
  if (multiValued.has(op) || operands.length < 2) return { steps, column, op, values: operands }
  return anyOf({ steps, column }, op, operands)
}

/** Combines several values for an operator that takes one: any of them may match; a negation denies them all. */
function anyOf(columnPath: ColumnPath, op: Operator, operands: readonly (string | number)[]): ResolvedFilter {
  const each = operands.map((operand) => ({ ...columnPath, op, values: [operand] }))
  const [only] = each
  if (only !== undefined && each.length === 1) return only
  return isNegation(op) ? { and: each } : { or: each }
}

/** Compares instants with instants, or with days in the time zone of the workspace. */
function byInstants(
  ctx: ZonedContext,
  columnPath: ColumnPath,
  op: Operator,
  values: readonly FilterValue[],
  leaf: GivenCondition,
): ResolvedFilter {
  const asked = op === 'Is not' ? 'Is' : op
  const parts = values.map((value): ResolvedFilter => {
    const day = dayComparisons(columnPath.column, asked, value, ctx.timeZone)
    return day === undefined
      ? condition(columnPath, asked, resolveValue(ctx, columnPath.column, value, leaf))
      : allAlong(columnPath, day)
  })
  const [only] = parts
  const any: ResolvedFilter = only !== undefined && parts.length === 1 ? only : { or: parts }
  return op === 'Is not' ? { not: any } : any
}

/** Comparisons that one value has to satisfy. */
function allAlong(
  { steps, column }: ColumnPath,
  comparisons: readonly { readonly op: Operator; readonly value: string | number }[],
): ResolvedFilter {
  const along = (path: ColumnPath) => comparisons.map(({ op, value }) => condition(path, op, value))
  const [only] = along({ steps, column })
  if (only !== undefined && comparisons.length === 1) return only
  return steps.some(({ isToMany }) => isToMany)
    ? { exists: steps, where: { and: along({ steps: [], column }) } }
    : { and: along({ steps, column }) }
}

/**
 * Resolves parts of the items of a collection. If the items are options, each part becomes the options that contain it,
 * since whole options are indexed.
 */
function byParts(
  ctx: FilterContext,
  columnPath: ColumnPath,
  op: 'Contains' | 'Does not contain',
  values: readonly FilterValue[],
  leaf: GivenCondition,
): ResolvedFilter {
  const { column } = columnPath
  const field = column.kind === 'field' ? column.field : undefined
  const parts = values.map((value) => {
    const part = value === null ? undefined : field?.type.parsePart?.(value)
    return part ?? rejectValue(ctx, column, value, leaf)
  })
  const known = field?.options
  if (known === undefined) return anyOf(columnPath, op, parts)
  const meant = parts.flatMap((part, index) => {
    const options = optionsWith(known, part)
    return options.length > 0 ? options : [rejectValue(ctx, column, defined(values[index]), leaf)]
  })
  return anyOf(columnPath, op === 'Contains' ? 'Is' : 'Is not', [...new Set(meant)])
}

/** The options that contain a text, regardless of case. */
export const optionsWith = (options: ReadonlySet<string>, part: string): string[] =>
  [...options].filter((option) => fold(option).includes(fold(part)))

/** Finds an operator by its name or alias. */
function resolveOperator(ctx: FilterContext, column: Column, given: string, { source }: GivenCondition): Operator {
  const allowed = operatorsOf(column)
  const exact = allowed.find((op) => op === given) ?? allowed.find((op) => isOneOf(operators[op], given))
  if (exact !== undefined) return exact
  throw ctx.fail('unknown_operator', {
    detail: `"${column.name}" has no operator "${given.slice(0, 64)}".${suggestion(given, allowed)}`,
    source,
    meta: { allowed },
  })
}

const isNegation = (op: Operator): boolean => op === 'Is not' || op === 'Does not contain'

const valuesOf = (
  column: Column,
  op: Operator,
  value: FilterValue | readonly FilterValue[],
  { mayList }: GivenCondition,
): readonly FilterValue[] =>
  multiValued.has(op) && mayList ? [value].flat().flatMap((one) => listed(column, one)) : [value].flat()

const resolveValue = (ctx: ZonedContext, column: Column, value: FilterValue, leaf: GivenCondition): string | number =>
  (value === null ? undefined : parseOperand(column, value, ctx.timeZone)) ?? rejectValue(ctx, column, value, leaf)

/** Says what a column is compared with, where only some values fit. */
function kindText(column: Column): string {
  const type = column.kind === 'field' ? column.field.type : undefined
  if (isTime(column) || type?.name === 'date' || type?.name === 'timestamp')
    return ' Use a date or a time, such as 2026-01-31 or 2026-01-31T09:30:00Z.'
  if (type?.comparedAs === 'number') return ' Use a number.'
  return type?.comparedAs === 'flag' ? ' Use true or false.' : ''
}

function rejectValue(ctx: FilterContext, column: Column, value: FilterValue, { source }: GivenCondition): never {
  const allowed = column.kind === 'field' && column.field.options !== undefined ? [...column.field.options] : undefined
  throw ctx.fail(allowed === undefined ? 'invalid_parameter' : 'unknown_value', {
    detail:
      JSON.stringify(value).slice(0, 100) +
      (allowed === undefined
        ? ` cannot be compared with "${column.name}".${kindText(column)}`
        : ` is not an option of "${column.name}".${suggestion(String(value), allowed)}`),
    source,
    ...(allowed && { meta: { allowed } }),
  })
}

/**
 * Parses a value into the form that a column compares; undefined if the column cannot be compared with it. A time
 * without a zone is one of the given zone.
 */
export function parseOperand(
  column: Column,
  value: string | number | boolean,
  timeZone: string,
): string | number | undefined {
  if (column.kind === 'field') return column.field.type.parseOperand(value, column.field, timeZone)
  if (!isTime(column)) return typeof value === 'string' ? value : undefined
  const instant = parseTimestamp(value, timeZone)
  return instant === undefined ? undefined : Date.parse(instant)
}

function within(ctx: ZonedContext, columnPath: ColumnPath, value: unknown, { source }: GivenCondition): ResolvedFilter {
  const period = typeof value === 'string' ? parsePeriod(value, ctx.now, ctx.timeZone, ctx.fiscalOffset) : undefined
  if (period === undefined) {
    throw ctx.fail('unknown_value', {
      detail: `${JSON.stringify(value).slice(0, 100)} is not a period. Periods are ${periodNames.join(', ')}.`,
      source,
      meta: { allowed: periodNames },
    })
  }
  const [from, until] = boundsOf(columnPath.column, period)
  return allAlong(columnPath, [
    { op: 'Is on or after', value: from },
    { op: period.isSpan ? 'Is on or before' : 'Is before', value: until },
  ])
}

const condition = (columnPath: ColumnPath, op: Operator, value: string | number): Condition => ({
  ...columnPath,
  op,
  values: [value],
})

/** The ends of a period in the form that the column compares: for dates, the days that they fall on. */
function boundsOf(column: Column, { from, until }: Period): [string | number, string | number] {
  if (isOfInstants(column)) return [comparedInstant(column, from), comparedInstant(column, until)]
  return [dateText(from), dateText(until)]
}
