import {
  searchCountedMax,
  type ErrorCode,
  type Output,
  type RecordPage,
  type RecordResource,
  type resources,
  type SortColumn,
} from '@kontor/contract'
import type { ReadTx } from '../../db/tx.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { pageEnvelope } from '../../lib/page-links.ts'
import { Included } from './include/include.ts'
import { resolveFields, objectsOf, resolveInclude, type SparseFields } from './include/resolve.ts'
import { findObject, type ObjectModel, type RecordRow, type Column } from '../objects/index.ts'
import { presentRecords } from './present.ts'
import { resolveFilter, type Search, type GivenFilter, type ResolvedFilter, type Condition } from '../filters/index.ts'
import { readingsOf } from '../indexes/index.ts'
import { decodeCursor, encodeCursor, type Cursor, type CursorScope } from './cursor.ts'
import type { IdSet, ListQuery, PageRow } from './list-query.ts'
import type { HasMore } from './page-stream.ts'
import { resolveSort, type SortKey } from './sort.ts'
import type { LocationOf, ErrorLocations } from '../../kernel/error-locations.ts'

export type ListContext<More extends ErrorCode = never> = WorkspaceReadContext<
  More | 'unknown_field' | 'unknown_operator' | 'unknown_value' | 'cursor_mismatch'
>

/** A list request, independent of how it was sent. */
export type ListRequest = {
  readonly object: string
  readonly fields: SparseFields | undefined
  readonly include: readonly string[] | undefined
  /** Explain the plan; for admins. */
  readonly explain?: boolean | undefined
  readonly page: RecordPage
  readonly sortOrder: SortColumn | SortColumn[] | undefined
  readonly filter: GivenFilter | undefined
  /** Search text: all its words occur in each record of the list. */
  readonly search: string | undefined
  /** The answer may have any length and is not gathered: included records appear only below their own record. */
  readonly streamed?: true
  /** Locations of its parts in the request, for errors. */
  readonly errorLocations: ErrorLocations
  /** The filter as it was sent; a cursor is valid only for this one. */
  readonly sentFilter: unknown
  /** Path of the list, below `/workspaces/`. */
  readonly path: string
  /** Restricts the list to these records; sorted by id unless the caller sorts. */
  readonly idSet?: IdSet | undefined
  /** A further filter of the list, and its default order. */
  readonly within?: ListScope | undefined
  /** Query parameters that every pagination link repeats. */
  readonly linkQuery: Readonly<Record<string, unknown>>
}

export type ListBody = Output<typeof resources.list>

/** A list within the records of an object. */
export type ListScope = {
  readonly filter: ResolvedFilter | undefined
  readonly sort: readonly SortKey[] | undefined
  /** Identifies the list; a cursor of another list does not fit. */
  readonly cursorScope: readonly unknown[]
}

/** The parts of an answer other than its records. */
export type Envelope = Omit<ListBody, 'data'>

/** The edges of a page: its first and its last row, their number, and whether there are rows beside it. */
export type PageEdges = HasMore & {
  readonly first: PageRow | undefined
  readonly last: PageRow | undefined
  readonly count: number
}

/** A checked list request: the query to read, and how to present its rows and the envelope around them. */
export type ParsedList = {
  readonly query: ListQuery
  /** Begins an answer, whose further reads go through a handle. */
  readonly answerBy: (tx: ReadTx) => ListAnswer
}

type ListAnswer = {
  readonly present: (rows: readonly PageRow[]) => Promise<RecordResource[]>
  readonly envelope: (shown: PageEdges, total: number | undefined) => Envelope
}

/** Checks every name and value of a list request. */
export async function parseList(ctx: ListContext, request: ListRequest): Promise<ParsedList> {
  const { page, idSet, within, errorLocations } = request
  const { object, principal } = await findObject(ctx, request.object, 'read')
  const sort =
    request.sortOrder === undefined && within?.sort !== undefined
      ? within.sort
      : await resolveSort(ctx, object, request.sortOrder, errorLocations.sort)
  const inclusions = await resolveInclude(ctx, object, request.include, errorLocations.include)
  const shownFields = resolveFields(ctx, objectsOf(object, inclusions), request.fields, errorLocations.fields)
  const given = request.filter && (await resolveFilter(ctx, object, request.filter, errorLocations.filter))
  const search = searchOf(ctx, object, request.search)
  const filter = both(within?.filter, both(given, search && { search }))
  const scope: CursorScope = { object: object.key, sort, filter: scopeOf(request) }
  const cursorAt = cursorPositionOf(ctx, scope, page, errorLocations.page)
  const column = watermarkColumn(given)
  const end = column && { column, watermark: await ctx.watermark(object.key, cursorAt?.cursor.watermark) }
  const position = cursorAt && { at: cursorAt.cursor.at, direction: cursorAt.direction }
  const query: ListQuery = {
    workspaceId: ctx.workspace.workspaceId,
    object,
    principal,
    sort,
    filter: filter && end ? untilWatermark(filter, end) : filter,
    countMax: search && searchCountedMax,
    offset: page.offset,
    limit: page.limit,
    position,
    idSet,
  }
  const cursorOf = (row: PageRow | undefined) =>
    row === undefined || encodeCursor(scope, { at: { values: row.sorted, id: row.id }, watermark: end?.watermark })
  return {
    query,
    answerBy: (tx) => answerOf({ ...ctx, tx }, request, { query, inclusions, shownFields, end, cursorOf }),
  }
}

type AnswerFacts = {
  readonly query: ListQuery
  readonly inclusions: Awaited<ReturnType<typeof resolveInclude>>
  readonly shownFields: ReturnType<typeof resolveFields>
  readonly end: WatermarkBound | undefined
  readonly cursorOf: (row: PageRow | undefined) => string | true
}

function answerOf(
  ctx: ListContext,
  request: ListRequest,
  { query, inclusions, shownFields, end, cursorOf }: AnswerFacts,
): ListAnswer {
  const { object } = query
  const included = new Included(ctx, shownFields)
  return {
    async present(found) {
      const rows = end ? found.filter((row) => isBeforeWatermark(row, end)) : found
      const data = await presentRecords(ctx, object, rows, shownFields.get(object.name))
      if (request.streamed !== true || inclusions.length === 0) await included.add(object, rows, data, inclusions)
      else
        for (let from = 0; from < rows.length; from += streamedRows)
          await new Included(ctx, shownFields).add(
            object,
            rows.slice(from, from + streamedRows),
            data.slice(from, from + streamedRows),
            inclusions,
          )
      return data
    },
    envelope: (shown, counted) => {
      const isCapped = counted !== undefined && query.countMax !== undefined && counted > query.countMax
      const total = isCapped ? query.countMax : counted
      const { meta, links: pageLinks } = pageEnvelope({
        url: `${ctx.baseUrl}/workspaces/${request.path}`,
        query: request.linkQuery,
        offset: offsetOf(query, shown, isCapped ? undefined : total),
        limit: request.page.limit,
        shown: shown.count,
        total,
        after: shown.after ? cursorOf(shown.last) : undefined,
        before: shown.before ? cursorOf(shown.first) : undefined,
      })
      return {
        included: included.list(),
        meta: { ...meta, ...(isCapped && { total_capped: true as const }) },
        links: pageLinks,
      }
    },
  }
}

/**
 * Records of a stream whose included records are read together. An answer has a limit of included records, and each of
 * these groups counts as one answer.
 */
const streamedRows = 25

const searchOf = (
  { workspace: { workspaceId } }: ListContext,
  { key }: ObjectModel,
  text: string | undefined,
): Search | undefined => (text === undefined ? undefined : { workspaceId, object: key, readings: readingsOf(text) })

const both = (filter: ResolvedFilter | undefined, search: ResolvedFilter | undefined): ResolvedFilter | undefined =>
  filter === undefined || search === undefined ? (filter ?? search) : { and: [filter, search] }

/** Returns the identity of a list besides its object and order. */
function scopeOf({ sentFilter, search, idSet, within }: ListRequest): unknown {
  const filter = search === undefined ? sentFilter : [sentFilter ?? null, { search }]
  return idSet === undefined && within === undefined
    ? filter
    : [filter ?? null, ...(idSet?.cursorScope ?? []), ...(within?.cursorScope ?? [])]
}

type CursorPosition = { readonly cursor: Cursor; readonly direction: 'after' | 'before' }

/** The cursor of a request and its direction; 400 for both directions at once. */
export function cursorPositionOf(
  ctx: WorkspaceReadContext<'cursor_mismatch'>,
  scope: CursorScope,
  { after, before }: RecordPage,
  sourceOf: LocationOf,
): CursorPosition | undefined {
  if (after !== undefined && before !== undefined) {
    throw ctx.fail('invalid_parameter', {
      detail: 'Send either page[after] or page[before], not both.',
      source: sourceOf('before'),
    })
  }
  if (after !== undefined) return { cursor: decodeCursor(ctx, scope, after, sourceOf('after')), direction: 'after' }
  return before === undefined
    ? undefined
    : { cursor: decodeCursor(ctx, scope, before, sourceOf('before')), direction: 'before' }
}

/**
 * The offset of a page, for its links, counted on from the offset in the request. Writes in between are corrected at
 * the ends of the list, where the offset is known.
 */
function offsetOf(
  { offset, position }: ListQuery,
  { before, after, count }: PageEdges,
  total: number | undefined,
): number {
  if (!before) return 0
  return position !== undefined && !after && total !== undefined ? Math.max(0, total - count) : offset
}

type TimeColumn = Extract<Column, { kind: 'system' }>

const sinceOperators: ReadonlySet<Condition['op']> = new Set<Condition['op']>(['Is after', 'Is on or after'])

const isSince = ({ steps, column, op }: Condition, name: string): boolean =>
  steps.length === 0 && column.kind === 'system' && column.name === name && sinceOperators.has(op)

/** Finds the column of a condition that must hold for the whole list. */
function findRequired(filter: ResolvedFilter, name: string): TimeColumn | undefined {
  if ('and' in filter) return filter.and.map((part) => findRequired(part, name)).find((column) => column !== undefined)
  return 'column' in filter && isSince(filter, name) && filter.column.kind === 'system' ? filter.column : undefined
}

/**
 * The time column of a list that asks for what happened since some instant, as pollers do; undefined for most lists.
 */
const watermarkColumn = (filter: ResolvedFilter | undefined): TimeColumn | undefined =>
  filter && (findRequired(filter, '_updated_at') ?? findRequired(filter, '_created_at'))

/** The end of a list: later changes are left to the next poll. */
type WatermarkBound = { readonly column: TimeColumn; readonly watermark: number }

const untilWatermark = (filter: ResolvedFilter, { column, watermark }: WatermarkBound): ResolvedFilter => ({
  and: [filter, { steps: [], column, op: 'Is on or before', values: [watermark] }],
})

/**
 * Tells whether a row is still before the watermark: rows are read after their keys, and may have changed in between.
 */
const isBeforeWatermark = (row: RecordRow, { column, watermark }: WatermarkBound): boolean =>
  column.column !== 'updated_at' || row.updated_at <= watermark
