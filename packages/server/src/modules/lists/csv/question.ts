import type { Input, lists } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { type ListRequest, type SparseFields } from '../../query/index.ts'
import { objectAccess, type ObjectModel } from '../../objects/index.ts'
import { entriesOf } from '../entries/store.ts'
import type { FoundList } from '../find.ts'
import { resolveQuery, resolveStored } from '../query/resolve.ts'
import { queriedSet } from '../records.ts'
import { bodyLocations, queryLocations } from '../../../kernel/error-locations.ts'
import { fromQuery, fromTree } from '../../filters/index.ts'

export type ExportInput = Input<typeof lists.exportRows>

/** The context of an export. It has no cursor, so it cannot raise a cursor error. */
export type ExportContext = WorkspaceReadContext<
  'unknown_field' | 'unknown_operator' | 'unknown_value' | 'unsupported_sql' | 'list_broken'
>

type ExportRequest = Pick<ListRequest, 'sortOrder' | 'filter' | 'search' | 'fields' | 'include' | 'errorLocations'>

/**
 * Reads the request of an export: filters of the query string and of the body both apply, everything else may be in one
 * of them.
 */
export function askedIn(
  ctx: ExportContext,
  { name }: ObjectModel,
  { body, sortOrder, filter, search, fields, include }: ExportInput,
): ExportRequest {
  const parts = [
    ...(filter === undefined ? [] : [fromQuery(filter)]),
    ...(body.filter === undefined ? [] : [fromTree(body.filter, '/filter')]),
  ]
  const ofBody: SparseFields | undefined = Array.isArray(body.fields) ? { [name]: body.fields } : body.fields
  const both = Object.entries({
    sort: [sortOrder, body.sort],
    search: [search, body.search],
    fields: [fields, body.fields],
    include: [include, body.include],
  })
  const twice = both.find(([, values]) => values.every((value) => value !== undefined))?.[0]
  if (twice !== undefined)
    throw ctx.fail('invalid_body', {
      detail: 'This is in the query string too: send it only once.',
      source: { pointer: `/${twice}` },
    })
  return {
    sortOrder: body.sort ?? sortOrder,
    filter: parts.length > 1 ? { and: parts } : parts[0],
    search: (typeof body.search === 'object' ? body.search.query : body.search) ?? search,
    fields: ofBody ?? fields,
    include: body.include ?? include,
    errorLocations: {
      ...queryLocations,
      sort: (body.sort === undefined ? queryLocations : bodyLocations).sort,
      fields: (body.fields === undefined ? queryLocations : bodyLocations).fields,
      include: (body.include === undefined ? queryLocations : bodyLocations).include,
    },
  }
}

/**
 * The records to export: those of the list, or for a dynamic list those that the `sql` of the body finds instead, by
 * the rights of the caller. For a static list, the `sql` selects among its records (docs/decisions/0231).
 */
export async function exportedSet(
  ctx: ExportContext,
  found: FoundList,
  sql: string | undefined,
  sortOrder: ListRequest['sortOrder'],
): Promise<Pick<ListRequest, 'idSet' | 'within' | 'sortOrder'>> {
  const { object, row } = found
  const given = sql === undefined ? undefined : await resolveQuery(ctx, object, { sql }, '')
  if (row.query !== null)
    return {
      sortOrder,
      ...queriedSet(ctx, found, given ?? (await resolveStored(ctx, found)), sql ?? row.query_version_id),
    }
  const idSet = entriesOf(ctx.workspace.workspaceId, row.id, objectAccess(ctx, object, 'read').principal)
  if (given === undefined) return { sortOrder: sortOrder ?? [], idSet }
  if (given.limit !== undefined)
    throw ctx.fail('unsupported_sql', {
      detail: 'The SQL that narrows a static list accepts no LIMIT.',
      source: { pointer: '/sql' },
    })
  return {
    sortOrder: sortOrder ?? (given.sort === undefined ? [] : undefined),
    idSet,
    within: { filter: given.filter, sort: given.sort, cursorScope: [row.id, sql] },
  }
}
