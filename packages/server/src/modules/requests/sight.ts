import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { isId } from '../../kernel/ids.ts'
import { hiddenLists } from '../lists/index.ts'
import { sightOf } from '../records/index.ts'

/** Returns whether the caller still sees every record and list that a stored answer names. */
export async function seesAnswer(ctx: WorkspaceReadContext, body: unknown): Promise<boolean> {
  const ids = [...new Set(idsIn(body))]
  if (ids.length === 0) return true
  const [sight, lists] = await Promise.all([sightOf(ctx, ids), hiddenLists(ctx, ids)])
  return !ids.some((id) => sight.hides(id) || lists.has(id))
}

/** All texts in a value that have the shape of an id. */
function idsIn(value: unknown): string[] {
  if (typeof value === 'string') return isId(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(idsIn) : []
}
