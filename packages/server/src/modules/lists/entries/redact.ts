import type { Change } from '@kontor/contract'
import { isId } from '../../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { holdsScope } from '../../../kernel/authorise.ts'
import { atLeast, levelsOn } from '../../access/index.ts'
import { listPrincipal } from '../find.ts'
import { listGuardedLists } from '../store.ts'
import { listsPath } from './events.ts'

/** The list that a change names. An object may also have a field of that name, with any value. */
const listOf = ({ path, val, oldVal }: Change): string[] =>
  path[0] === listsPath ? [val ?? oldVal].filter((id): id is string => typeof id === 'string' && isId(id)) : []

/** Which of some lists, deleted ones too, the caller may not see: by rights, or for want of the scope to read lists. */
export async function hiddenLists(ctx: WorkspaceReadContext, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { workspaceId } = ctx.workspace
  const rows = await listGuardedLists(ctx.tx, workspaceId, [...new Set(ids)])
  if (!holdsScope(ctx.actor, 'lists:read')) return new Set(rows.map(({ id }) => id))
  const levelOf = await levelsOn(ctx.tx, workspaceId, listPrincipal(ctx), rows, 'view')
  return new Set(rows.filter((row) => !atLeast(levelOf(row), 'view')).map(({ id }) => id))
}

/** Redacts hidden lists from changes. */
export async function redactLists<C extends Change>(
  ctx: WorkspaceReadContext,
  all: readonly (readonly C[])[],
): Promise<C[][]> {
  const hidden = await hiddenLists(ctx, all.flat().flatMap(listOf))
  return all.map((changes) => changes.filter((change) => !listOf(change).some((id) => hidden.has(id))))
}
