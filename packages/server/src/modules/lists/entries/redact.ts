import type { Change } from '@kontor/contract'
import { isId } from '../../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { atLeast, levelsOn } from '../../access/index.ts'
import { listPrincipal } from '../find.ts'
import { listById } from '../store.ts'
import { listsPath } from './events.ts'

/** The list that a change names. An object may also have a field of that name, with any value. */
const listOf = ({ path, val, oldVal }: Change): string[] =>
  path[0] === listsPath ? [val ?? oldVal].filter((id): id is string => typeof id === 'string' && isId(id)) : []

/** Redacts hidden lists from changes; a deleted list is no longer a secret. */
export async function redactLists<C extends Change>(ctx: WorkspaceReadContext, all: C[][]): Promise<C[][]> {
  const ids = [...new Set(all.flat().flatMap(listOf))]
  if (ids.length === 0) return all
  const rows = await listById(ctx.tx, ctx.workspace.workspaceId, ids)
  const levelOf = await levelsOn(ctx.tx, ctx.workspace.workspaceId, listPrincipal(ctx), rows, 'view')
  const hidden = new Set(rows.filter((row) => !atLeast(levelOf(row), 'view')).map(({ id }) => id))
  return all.map((changes) => changes.filter((change) => !listOf(change).some((id) => hidden.has(id))))
}
