import { groupPeriods, suggestion, type AggregateBody, type GroupPeriod } from '@kontor/contract'
import { fromTree, type ResolvedFilter, resolveFilter, visibleColumn, type FilterContext } from '../../filters/index.ts'
import { bodyLocations } from '../../../kernel/error-locations.ts'
import { pointer } from '../../../lib/pointers.ts'
import { workspaceSchemas } from '../../schemas/index.ts'
import {
  columnNames,
  isCollection,
  isSortable,
  isTime,
  findColumn,
  type Column,
  type ObjectModel,
} from '../../objects/index.ts'
import { readingsOf } from '../../indexes/index.ts'

/** A field that records are grouped by, and the period for dates and times. */
export type Group = { readonly name: string; readonly column: Column; readonly by: GroupPeriod | undefined }

type MeasureFunction = AggregateBody['measures'][number]['function']

/** A measure of the records of a group. Only `count` has no column. */
export type Measure = { readonly name: string; readonly kind: MeasureFunction; readonly column: Column | undefined }

export type GroupOrder = { readonly of: Group | Measure; readonly descending: boolean }

/** A checked aggregate request. */
export type Aggregate = {
  readonly groups: readonly Group[]
  readonly measures: readonly Measure[]
  readonly order: readonly GroupOrder[]
  readonly filter: ResolvedFilter | undefined
}

/** The kinds of values that measures and groups tell apart. */
export type ValueKind = 'number' | 'date' | 'instant' | 'flag' | 'choice' | 'other'

export function kindOf(column: Column): ValueKind {
  if (column.kind === 'system') return isTime(column) ? 'instant' : column.name === '_id' ? 'other' : 'choice'
  const { name, comparedAs } = column.field.type
  if (comparedAs === 'number') return 'number'
  if (comparedAs === 'flag') return 'flag'
  if (name === 'date') return 'date'
  if (name === 'timestamp') return 'instant'
  return choices.has(name) ? 'choice' : 'other'
}

const choices: ReadonlySet<string> = new Set(['select', 'reference', 'user_reference'])

/** Tells whether a column has dates or times, which are grouped by a period. */
const isPeriodic = (column: Column): boolean => ['date', 'instant'].includes(kindOf(column))

/** Resolves the fields and the filter of an aggregate request; throws for names and functions that do not fit. */
export async function resolveAggregate(
  ctx: FilterContext,
  object: ObjectModel,
  body: AggregateBody,
): Promise<Aggregate> {
  const schemas = await workspaceSchemas(ctx)
  const columnAt = (name: string): Column | undefined => visibleColumn(ctx, schemas, findColumn(object, name))
  const groups = body.group_by.map((given, at) => groupOf(ctx, object, columnAt, given, at))
  const measures = body.measures.map((given, at) => measureOf(ctx, object, columnAt, given, at))
  requireOwnNames(ctx, [...groups, ...measures])
  const filter =
    body.filter && (await resolveFilter(ctx, object, fromTree(body.filter, '/filter'), bodyLocations.filter))
  const search = body.search === undefined ? undefined : searchIn(ctx, object, body.search)
  return {
    groups,
    measures,
    order: orderOf(ctx, body.sort, groups, measures),
    filter: filter && search ? { and: [filter, search] } : (filter ?? search),
  }
}

const searchIn = (ctx: FilterContext, { key }: ObjectModel, text: string): ResolvedFilter => ({
  search: { workspaceId: ctx.workspace.workspaceId, object: key, readings: readingsOf(text) },
})

type FindColumn = (name: string) => Column | undefined

function groupOf(
  ctx: FilterContext,
  object: ObjectModel,
  columnAt: FindColumn,
  { field: name, by }: AggregateBody['group_by'][number],
  at: number,
): Group {
  const column = columnAt(name)
  if (column === undefined || !mayGroup(column))
    throw unknownField(ctx, object, name, mayGroup, ['group_by', at, 'field'])
  const source = { pointer: pointer(['group_by', at, 'by']) }
  if (isPeriodic(column) && by === undefined)
    throw ctx.fail('invalid_body', { detail: `"${name}" requires \`by\`: one of ${groupPeriods.join(', ')}.`, source })
  if (!isPeriodic(column) && by !== undefined)
    throw ctx.fail('invalid_body', { detail: `\`by\` only applies to dates and times, not to "${name}".`, source })
  return { name, column, by }
}

const mayGroup = (column: Column): boolean =>
  kindOf(column) === 'flag' || kindOf(column) === 'choice' || isPeriodic(column)

const fits: Readonly<Record<Exclude<MeasureFunction, 'count'>, (column: Column) => boolean>> = {
  count_distinct: (column) => isSortable(column) && !isCollection(column),
  sum: (column) => kindOf(column) === 'number',
  average: (column) => kindOf(column) === 'number',
  median: (column) => kindOf(column) === 'number',
  min: (column) => kindOf(column) === 'number' || isPeriodic(column),
  max: (column) => kindOf(column) === 'number' || isPeriodic(column),
}

function measureOf(
  ctx: FilterContext,
  object: ObjectModel,
  columnAt: FindColumn,
  { function: kind, field, as }: AggregateBody['measures'][number],
  at: number,
): Measure {
  const source = { pointer: pointer(['measures', at, 'field']) }
  if (kind === 'count') {
    if (field !== undefined)
      throw ctx.fail('invalid_body', { detail: '`count` accepts no field; use `count_distinct`.', source })
    return { name: as ?? 'count', kind, column: undefined }
  }
  if (field === undefined) throw ctx.fail('invalid_body', { detail: `\`${kind}\` requires a field.`, source })
  const column = columnAt(field)
  if (column === undefined || !fits[kind](column))
    throw unknownField(ctx, object, field, fits[kind], ['measures', at, 'field'], kind)
  return { name: as ?? `${kind}_${field.replaceAll('.', '_')}`, kind, column }
}

function requireOwnNames(ctx: FilterContext, named: readonly { readonly name: string }[]): void {
  const [twice] = named.filter(({ name }, at) => named.findIndex((one) => one.name === name) !== at)
  if (twice !== undefined)
    throw ctx.fail('invalid_body', {
      detail: `Two columns are named "${twice.name}"; give one measure another name with \`as\`.`,
      source: { pointer: '/measures' },
    })
}

/** The requested order, and the groups after it, so that pages never overlap. */
function orderOf(
  ctx: FilterContext,
  sort: AggregateBody['sort'],
  groups: readonly Group[],
  measures: readonly Measure[],
): GroupOrder[] {
  const known: readonly (Group | Measure)[] = [...groups, ...measures]
  const requested = (sort ?? []).map(({ column: name, dir }, at) => {
    const of = known.find((one) => one.name === name)
    if (of !== undefined) return { of, descending: dir === 'DESC' }
    const allowed = known.map((one) => one.name)
    throw ctx.fail('unknown_field', {
      detail: `"${name}" is neither a group nor a measure.${suggestion(name, allowed)}`,
      source: { pointer: pointer(['sort', at, 'column']) },
      meta: { allowed },
    })
  })
  const rest = groups.filter((group) => !requested.some(({ of }) => of === group))
  return [...requested, ...rest.map((of) => ({ of, descending: false }))]
}

function unknownField(
  ctx: FilterContext,
  object: ObjectModel,
  name: string,
  fit: (column: Column) => boolean,
  path: readonly (string | number)[],
  kind?: MeasureFunction,
) {
  const allowed = columnNames(object, false).filter((one) => {
    const column = findColumn(object, one)
    return column !== undefined && fit(column)
  })
  const use = kind === undefined ? 'records can be grouped by' : `\`${kind}\` can measure`
  return ctx.fail('unknown_field', {
    detail: `"${name.slice(0, 64)}" is no field of ${object.name} that ${use}.${suggestion(name, allowed)}`,
    source: { pointer: pointer(path) },
    meta: { allowed },
  })
}
