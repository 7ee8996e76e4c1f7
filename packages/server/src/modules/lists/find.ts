import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import { requireVersion } from '../../kernel/versions.ts'
import { principalOf, atLeast, levelOn, type Principal } from '../access/index.ts'
import { findObject, type ObjectModel } from '../records/index.ts'
import { findList, lockList, type ListRow } from './store.ts'

/** Lists are private unless they are shared (decisions on access), and open to a credential by a scope of their own. */
export const lists = { title: 'list', xSvcAccess: { default: 'none' } } as const

/** Who asks about lists that are not what the call is about, or where it was asked already whether the credential opens lists. */
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

/** A list of the object in the path, without its records; what may not be seen answers as what does not exist. */
export async function requireList(ctx: WorkspaceReadContext, { object: name, list: id }: ListPath): Promise<FoundList> {
  const { object } = await findObject(ctx, name, 'name')
  const row = isId(id) ? await findList(ctx.tx, ctx.workspace.workspaceId, id) : undefined
  if (row === undefined || row.object !== object.key || !atLeast(await levelOf(ctx, row, 'view'), 'view'))
    throw missingList(ctx)
  return { object, row }
}

/** The same for a change, locked by itself or, with `refer`, only against its deletion: 403 where it may be seen but not changed, 412 for another version than the caller's. */
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
        needed === 'edit' ? 'You may see this list, but not change it.' : 'Only who may manage this list may do that.',
    })
  requireVersion(ctx, 'list', row.version)
  return { object, row }
}
