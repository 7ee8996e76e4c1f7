import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import { requireVersion } from '../../kernel/preconditions.ts'
import { principalOf, atLeast, levelOn, type Principal } from '../access/index.ts'
import { findObject, type ObjectModel } from '../objects/index.ts'
import { findList, lockList, type ListRow } from './store.ts'

/** Lists are private unless they are shared (decisions on access), and open to a credential by a scope of their own. */
export const lists = { title: 'list', xSvcAccess: { default: 'none' } } as const

/** The principal for lists that are not the subject of the call, or whose scope has already been checked. */
export const listPrincipal = (ctx: WorkspaceReadContext): Principal => principalOf(ctx, lists, 'name')

export type FoundList = {
  readonly object: ObjectModel
  readonly row: ListRow
}

type ListPath = { readonly object: string; readonly list: string }

export const missingList = (ctx: WorkspaceReadContext) =>
  ctx.fail('not_found', { detail: 'There is no list with this id.' })

const levelOf = (ctx: WorkspaceReadContext, row: ListRow, needed: 'view' | 'edit' | 'manage') =>
  levelOn(ctx.tx, ctx.workspace.workspaceId, listPrincipal(ctx), row, needed)

/** Finds a list of the object in the path, without its records; a hidden list answers as a missing one. */
export async function requireList(ctx: WorkspaceReadContext, { object: name, list: id }: ListPath): Promise<FoundList> {
  const { object } = await findObject(ctx, name, 'name')
  const row = isId(id) ? await findList(ctx.tx, ctx.workspace.workspaceId, id) : undefined
  if (row === undefined || row.object !== object.key || !atLeast(await levelOf(ctx, row, 'view'), 'view'))
    throw missingList(ctx)
  return { object, row }
}

/** Finds a list of an object, or of any, that the caller may see, by their ids. */
export async function findVisibleList(
  ctx: WorkspaceReadContext,
  object: string | undefined,
  id: string,
): Promise<ListRow | undefined> {
  const row = isId(id) ? await findList(ctx.tx, ctx.workspace.workspaceId, id) : undefined
  return row !== undefined &&
    (object === undefined || row.object === object) &&
    atLeast(await levelOf(ctx, row, 'view'), 'view')
    ? row
    : undefined
}

/**
 * Finds and locks a list for a change or, with `refer`, only against its deletion: 403 if the caller may see it but not
 * change it, 412 for a version other than the caller's.
 */
export async function requireChangeable(
  ctx: WriteContext,
  { object: name, list: id }: ListPath,
  needed: 'edit' | 'manage',
  purpose: 'change' | 'refer' = 'change',
): Promise<FoundList> {
  const { object } = await findObject(ctx, name, 'name')
  const row = isId(id) ? await lockList(ctx.tx, ctx.workspace.workspaceId, id, purpose) : undefined
  if (row === undefined || row.object !== object.key) throw missingList(ctx)
  const level = await levelOf(ctx, row, needed)
  if (!atLeast(level, 'view')) throw missingList(ctx)
  if (!atLeast(level, needed))
    throw ctx.fail('forbidden', {
      detail:
        needed === 'edit'
          ? 'You may see this list, but not change it.'
          : 'This requires the level "manage" on the list.',
    })
  requireVersion(ctx, 'list', row.version)
  return { object, row }
}
