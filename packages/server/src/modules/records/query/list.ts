import type { Filter, FilterQuery, RecordPage, SortColumn } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { pageEnvelope } from '../../../kernel/page-links.ts'
import type { FieldIndexes } from '../indexes/service.ts'
import { findObject } from '../object.ts'
import { presentRecord } from '../present.ts'
import { decodeCursor, encodeCursor, type CursorScope } from './cursor.ts'
import { fromQuery, fromTree, type GivenFilter } from './filter.ts'
import type { PageRequest, PageRow } from './page-request.ts'
import { readList } from './reading.ts'
import { resolveFilter } from './resolve-filter.ts'
import { resolveSort } from './sort.ts'
import { resolveFields, type SparseFields } from './sparse.ts'

type ListContext = WorkspaceReadContext<'unknown_field' | 'unknown_operator' | 'unknown_value' | 'cursor_mismatch'>

type Common = { readonly workspace: string; readonly object: string; readonly fields?: SparseFields | undefined; readonly explain?: boolean | undefined }

type ListInput = Common & { readonly page: RecordPage; readonly sortOrder?: SortColumn | SortColumn[] | undefined; readonly filter?: FilterQuery }

/** A page of an object's records that the caller may see, with the exact size of the whole set. */
export const listRecords = (ctx: ListContext, indexes: FieldIndexes, input: ListInput) => {
  const { page, sortOrder, filter, fields } = input
  return answerPage(ctx, indexes, input, {
    page,
    sortOrder,
    filter: filter && fromQuery(filter),
    filterText: filter,
    path: 'resources',
    linkQuery: { sortOrder, filter, fields, page: page.total === 'none' ? { total: 'none' } : {} },
  })
}

type QueryInput = Common & {
  /** The page of a link; it wins over that of the body. */
  readonly page?: Partial<Record<'offset' | 'limit', number | undefined>> & Partial<Record<'after' | 'before', string | undefined>> | undefined
  readonly body: { readonly filter?: Filter | undefined; readonly sort?: SortColumn[] | undefined; readonly page: RecordPage; readonly fields?: SparseFields | undefined }
}

/** The same for a filter tree; the links are to be sent the same body. */
export const queryRecords = (ctx: ListContext, indexes: FieldIndexes, { page: linked, body, ...input }: QueryInput) => {
  const cursor = linked?.after !== undefined || linked?.before !== undefined ? { after: undefined, before: undefined } : {}
  const given = Object.fromEntries(Object.entries(linked ?? {}).filter(([, value]) => value !== undefined))
  return answerPage(ctx, indexes, { ...input, fields: body.fields }, {
    page: { ...body.page, ...cursor, ...given },
    sortOrder: body.sort,
    filter: body.filter && fromTree(body.filter, '/filter'),
    filterText: body.filter,
    path: 'resources/query',
    linkQuery: {},
  })
}

type Question = {
  readonly page: RecordPage
  readonly sortOrder: SortColumn | SortColumn[] | undefined
  readonly filter: GivenFilter | undefined
  /** The filter as it was sent; a cursor fits no other. */
  readonly filterText: unknown
  readonly path: string
  /** What every link repeats. */
  readonly linkQuery: Readonly<Record<string, unknown>>
}

async function answerPage(ctx: ListContext, indexes: FieldIndexes, input: Common, { page, sortOrder, filter, filterText, path, linkQuery }: Question) {
  if (input.explain === true && ctx.workspace.role !== 'admin') throw ctx.fail('forbidden', { detail: 'Only admins may have a list explained.', source: { parameter: 'explain' } })
  const { object, asker } = await findObject(ctx, input.object)
  const sort = resolveSort(ctx, object, sortOrder)
  const shownFields = resolveFields(ctx, object, input.fields)
  const resolved = filter && (await resolveFilter(ctx, object, filter))
  const scope: CursorScope = { object: object.name, sort, filter: filterText }
  const position = positionOf(ctx, scope, page)
  const request: PageRequest = { workspaceId: ctx.workspace.workspaceId, object, asker, sort, filter: resolved, offset: page.offset, limit: page.limit, position }
  const { rows, total, explain } = await readList(ctx.tx, indexes, request, { total: page.total !== 'none', explain: input.explain === true })
  const { shown, before, after } = trim(rows, request)
  const cursorOf = (row: PageRow | undefined) => row && encodeCursor(scope, { values: row.sorted, id: row.id })
  const envelope = pageEnvelope({
    url: `${ctx.baseUrl}/workspaces/${input.workspace}/objects/${input.object}/${path}`,
    query: linkQuery,
    offset: page.offset,
    limit: page.limit,
    shown: shown.length,
    total,
    after: after ? cursorOf(shown.at(-1)) : undefined,
    before: before ? cursorOf(shown[0]) : undefined,
  })
  return { data: shown.map((row) => presentRecord(object, row, shownFields)), included: [], meta: { ...envelope.meta, ...(explain && { explain }) }, links: envelope.links }
}

function positionOf(ctx: ListContext, scope: CursorScope, { after, before }: RecordPage): PageRequest['position'] {
  if (after !== undefined && before !== undefined) {
    throw ctx.fail('invalid_parameter', { detail: 'Send page[after] or page[before], not both.', source: { parameter: 'page[before]' } })
  }
  if (after !== undefined) return { at: decodeCursor(ctx, scope, after, 'page[after]'), direction: 'after' }
  return before === undefined ? undefined : { at: decodeCursor(ctx, scope, before, 'page[before]'), direction: 'before' }
}

/** Takes the extra row off again; it only told that there is more. */
function trim(rows: readonly PageRow[], { limit, offset, position }: PageRequest): { shown: readonly PageRow[]; before: boolean; after: boolean } {
  const more = rows.length > limit
  if (position?.direction === 'before') return { shown: more ? rows.slice(-limit) : rows, before: more, after: true }
  return { shown: more ? rows.slice(0, limit) : rows, before: offset > 0, after: more }
}
