import type { Input, lists } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { firstMembers, listMembers, listWithin, type FieldIndexes } from '../records/index.ts'
import { entriesOf } from './entries/store.ts'
import { requireList } from './find.ts'
import { resolveStored } from './query/resolve.ts'

export type ReadContext = WorkspaceReadContext<'unknown_field' | 'unknown_operator' | 'unknown_value' | 'cursor_mismatch' | 'list_broken'>

/** A page of the records of a list that the caller may see; of a dynamic one those that its query finds at this moment. */
export async function listRecordsOf(ctx: ReadContext, indexes: FieldIndexes, { list, ...input }: Input<typeof lists.listRecords>) {
  const found = await requireList(ctx, { object: input.object, list })
  const { row, recordAsker } = found
  const question = { ...input, path: `${input.workspace}/objects/${input.object}/lists/${list}/resources` }
  if (row.query === null) return listMembers(ctx, indexes, { ...question, members: entriesOf(ctx.workspace.workspaceId, list, recordAsker) })
  const { filter, sort, limit } = await resolveStored(ctx, found)
  const scope = [list, row.query_version_id]
  if (limit === undefined) return listWithin(ctx, indexes, { ...question, within: { filter, sort, scope }, members: undefined })
  const first = firstMembers({ workspaceId: ctx.workspace.workspaceId, object: found.object, asker: recordAsker, filter, sort, limit, scope })
  return listWithin(ctx, indexes, { ...question, within: { filter: undefined, sort, scope }, members: first })
}
