import type { Input, lists } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { firstMatchesIdSet, listIdSet, listWithin } from '../query/index.ts'
import { objectAccess } from '../objects/index.ts'
import type { FieldIndexes } from '../indexes/index.ts'
import { entriesOf } from './entries/store.ts'
import { requireList, type FoundList } from './find.ts'
import { resolveStored, type ResolvedQuery } from './query/resolve.ts'

export type ListReadContext = WorkspaceReadContext<
  'unknown_field' | 'unknown_operator' | 'unknown_value' | 'cursor_mismatch' | 'list_broken'
>

/**
 * Answers a page of the records of a list that the caller may see; for a dynamic list, those that its query finds now.
 */
export async function listRecordsOf(
  ctx: ListReadContext,
  indexes: FieldIndexes,
  { list, ...input }: Input<typeof lists.listRecords>,
) {
  const found = await requireList(ctx, { object: input.object, list })
  const question = { ...input, path: `${input.workspace}/objects/${input.object}/lists/${list}/resources` }
  if (found.row.query === null)
    return listIdSet(ctx, indexes, {
      ...question,
      idSet: entriesOf(ctx.workspace.workspaceId, list, objectAccess(ctx, found.object, 'read').principal),
    })
  return listWithin(ctx, indexes, {
    ...question,
    ...queriedSet(ctx, found, await resolveStored(ctx, found), found.row.query_version_id),
  })
}

/** The id set of the records that a query finds; `version` distinguishes it from other queries of the list. */
export function queriedSet(
  ctx: WorkspaceReadContext,
  { object, row }: FoundList,
  { filter, sort, limit }: ResolvedQuery,
  version: unknown,
) {
  const cursorScope = [row.id, version]
  if (limit === undefined) return { within: { filter, sort, cursorScope }, idSet: undefined }
  const first = firstMatchesIdSet({
    workspaceId: ctx.workspace.workspaceId,
    object,
    principal: objectAccess(ctx, object, 'read').principal,
    filter,
    sort,
    limit,
    cursorScope,
  })
  return { within: { filter: undefined, sort, cursorScope }, idSet: first }
}
