import type { AggregateBody, Output, resources } from '@kontor/contract'
import { isoTime } from '../../../kernel/clock.ts'
import { offsetEnvelope } from '../../../lib/page-links.ts'
import { listMemberNames } from '../../identity/users/index.ts'
import type { FieldIndexes } from '../../indexes/index.ts'
import { findObject, type ObjectAccess } from '../../objects/index.ts'
import { findSettings } from '../../settings/index.ts'
import type { FilterContext } from '../../filters/index.ts'
import { byCreation } from '../sort.ts'
import { listTitles } from '../visible-records.ts'
import { cheapestPath } from '../with-plan.ts'
import { kindOf, resolveAggregate, type Aggregate, type Group, type Measure } from './request.ts'
import { aggregateQuery, exactSum, groupsQuery, type AggregateSqlRow } from './store.ts'

type AggregatePage = Output<typeof resources.aggregate>
type AggregateInput = {
  readonly workspace: string
  readonly object: string
  readonly body: AggregateBody
  /** The page of a link; it overrides that of the body. */
  readonly page?: { readonly offset?: number | undefined; readonly limit?: number | undefined } | undefined
}

/** Answers a page of groups of an object's records that the caller may see, with their measures. */
export async function aggregateRecords(
  ctx: FilterContext,
  indexes: FieldIndexes,
  input: AggregateInput,
): Promise<AggregatePage> {
  const found = await findObject(ctx, input.object, 'read')
  const aggregate = await resolveAggregate(ctx, found.object, input.body)
  if (input.body.search !== undefined) indexes.documents.lookAfter(ctx.workspace.workspaceId, found.object.key)
  return ctx.tx.inOneState((tx) => readAggregate({ ...ctx, tx }, indexes, input, { ...found, aggregate }))
}

type Resolved = ObjectAccess<'read'> & { readonly aggregate: Aggregate }

async function readAggregate(
  ctx: FilterContext,
  indexes: FieldIndexes,
  { workspace, body, page: linked }: AggregateInput,
  { object, principal, aggregate }: Resolved,
): Promise<AggregatePage> {
  const { workspaceId } = ctx.workspace
  const { time_zone: timeZone } = await findSettings(ctx.tx, workspaceId)
  const page = { offset: linked?.offset ?? body.page.offset, limit: linked?.limit ?? body.page.limit }
  const query = {
    workspaceId,
    object,
    principal,
    sort: byCreation,
    filter: aggregate.filter,
    position: undefined,
    idSet: undefined,
    ...page,
  }
  const { path, isSmall } = await cheapestPath(ctx.tx, indexes, query)
  const request = { query, aggregate, path, timeZone }
  const heavy = isSmall ? false : path === undefined ? 'scan' : true
  const rows = await ctx.tx.query<AggregateSqlRow>((sql) => aggregateQuery(sql, request), { heavy })
  const counted =
    rows.length > 0 || page.offset === 0
      ? rows
      : await ctx.tx.query<{ total: number }>((sql) => groupsQuery(sql, request), { heavy })
  const labels = await Promise.all(aggregate.groups.map((group, at) => labelsOf(ctx, group, rows, `g${at}`)))
  return {
    data: rows.map((row) => presentRow(row, aggregate, labels)),
    ...offsetEnvelope(
      `${ctx.baseUrl}/workspaces/${workspace}/objects/${object.name}/resources/aggregate`,
      page,
      counted[0]?.total ?? 0,
    ),
  }
}

/** Names by id; undefined for a group whose values need none. */
type Labels = ReadonlyMap<string, string | null> | undefined

async function labelsOf(
  ctx: FilterContext,
  { column }: Group,
  rows: readonly AggregateSqlRow[],
  at: string,
): Promise<Labels> {
  const ids = rows.flatMap((row) => (typeof row[at] === 'string' ? [row[at]] : []))
  if (column.kind === 'system')
    return kindOf(column) === 'choice' ? listMemberNames(ctx.tx, ctx.workspace.workspaceId, ids) : undefined
  const { type, relationship } = column.field
  if (type.name === 'user_reference') return listMemberNames(ctx.tx, ctx.workspace.workspaceId, ids)
  if (type.name !== 'reference' || relationship === undefined) return undefined
  return listTitles(
    ctx,
    ids.map((id) => ({ object: relationship.entity, id })),
  )
}

function presentRow(
  row: AggregateSqlRow,
  { groups, measures }: Aggregate,
  labels: readonly Labels[],
): AggregatePage['data'][number] {
  const groupAt = (at: number) => row[`g${at}`] ?? null
  return {
    type: 'aggregate',
    groups: Object.fromEntries(groups.map(({ name, column }, at) => [name, groupShown(column, groupAt(at))])),
    labels: Object.fromEntries(
      groups.flatMap(({ name }, at) => {
        const names = labels[at]
        return names === undefined ? [] : [[name, names.get(String(groupAt(at))) ?? null]]
      }),
    ),
    measures: Object.fromEntries(measures.map((measure, at) => [measure.name, measureShown(row, measure, at)])),
  }
}

const groupShown = (column: Group['column'], value: string | number | null): string | boolean | null =>
  value === null ? null : kindOf(column) === 'flag' ? value === 1 : String(value)

function measureShown(row: AggregateSqlRow, { kind, column }: Measure, at: number): string | number | null {
  if (kind === 'sum') return exactSum(row, at)
  if (kind === 'average') {
    const sum = exactSum(row, at)
    return sum === null ? null : sum / Number(row[`m${at}_count`])
  }
  const value = row[`m${at}`] ?? null
  return column?.kind === 'system' &&
    typeof value === 'number' &&
    kindOf(column) === 'instant' &&
    kind !== 'count_distinct'
    ? isoTime(value)
    : value
}
