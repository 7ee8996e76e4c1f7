import type { FilterQuery, Page, SortColumn } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { pageEnvelope } from '../../../kernel/page-links.ts'
import { findObject } from '../object.ts'
import { presentRecord } from '../present.ts'
import { decodeCursor, encodeCursor, type CursorScope } from './cursor.ts'
import { fromQuery } from './filter.ts'
import { resolveFilter } from './resolve-filter.ts'
import type { PageRequest, PageRow } from './page-request.ts'
import { countMatching, listPage } from './page.ts'
import { resolveSort } from './sort.ts'

type ListInput = {
  readonly workspace: string
  readonly object: string
  readonly page: Page
  readonly sortOrder?: SortColumn | SortColumn[] | undefined
  readonly filter?: FilterQuery
}

type ListContext = WorkspaceReadContext<'unknown_field' | 'unknown_operator' | 'unknown_value' | 'cursor_mismatch'>

/** A page of an object's records that the caller may see, with the exact size of the whole set. */
export async function listRecords(ctx: ListContext, input: ListInput) {
  const { page, sortOrder, filter } = input
  const { object, asker } = await findObject(ctx, input.object)
  const sort = resolveSort(ctx, object, sortOrder)
  const resolved = filter === undefined ? undefined : await resolveFilter(ctx, object, fromQuery(filter))
  const scope: CursorScope = { object: object.name, sort, filter }
  const position = positionOf(ctx, scope, page)
  const request: PageRequest = { workspaceId: ctx.workspace.workspaceId, object, asker, sort, filter: resolved, offset: page.offset, limit: page.limit, position }
  const [rows, total] = await Promise.all([listPage(ctx.tx, request), countMatching(ctx.tx, request)])
  const { shown, before, after } = trim(rows, request)
  const cursorOf = (row: PageRow | undefined) => (row === undefined ? undefined : encodeCursor(scope, { values: row.sorted, id: row.id }))
  const envelope = pageEnvelope({
    url: `${ctx.baseUrl}/workspaces/${input.workspace}/objects/${input.object}/resources`,
    query: { sortOrder, filter },
    offset: page.offset,
    limit: page.limit,
    shown: shown.length,
    total,
    after: after ? cursorOf(shown.at(-1)) : undefined,
    before: before ? cursorOf(shown[0]) : undefined,
  })
  return { data: shown.map((row) => presentRecord(object, row)), included: [], ...envelope }
}

function positionOf(ctx: ListContext, scope: CursorScope, { after, before }: Page): PageRequest['position'] {
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
