import type { WriteContext } from '../../../kernel/implement.ts'
import {
  atLeast,
  findWorkspaceGrant,
  hidden,
  levelBeforeGrants,
  levelsOn,
  shareWithWorkspace,
  rankOf,
} from '../../access/index.ts'
import { changeVisibility } from '../counts.ts'
import type { ObjectModel, RecordRow } from '../../objects/index.ts'
import type { WriteTarget } from './target.ts'
import type { Field, RecordData } from '../../fields/index.ts'

/** The visibility that a record declares. */
const saidOf = ({ key }: Field, data: RecordData): unknown => data[key] ?? 'default'

/**
 * The `visibility` of a record, from its own declaration and from the level granted to the workspace, 0 for none
 * (docs/decisions/0134).
 */
export function visibilityOf({ visibility }: Pick<ObjectModel, 'visibility'>, data: RecordData, granted = 0): number {
  const said = visibility && saidOf(visibility, data)
  if (said === 'private') return hidden
  return said === 'workspace' ? Math.max(granted, rankOf('view')) : granted
}

/** A record before and after a change. */
type Turn = { readonly row: RecordRow; readonly update: { readonly row: RecordRow } }

const turnsOf = <T extends Turn>({ visibility }: ObjectModel, changed: readonly T[]): T[] =>
  visibility === undefined
    ? []
    : changed.filter(({ row, update }) => saidOf(visibility, row.data) !== saidOf(visibility, update.row.data))

const refusal = (object: ObjectModel): string =>
  `Changing "${object.visibility?.name}" of a ${object.name} requires the level "manage", which its owner has.`

/** 403 for new records that declare a visibility, if the caller will not manage them: a workspace key owns nothing. */
export function requireOwned(
  ctx: WriteContext,
  { object, principal }: WriteTarget,
  created: readonly { readonly row: Pick<RecordRow, 'owner_id' | 'visibility'> }[],
): void {
  const ownsAll = created.every(
    ({ row: { owner_id, visibility } }) =>
      visibility === 0 || atLeast(levelBeforeGrants(principal, { owner_id, visibility: 0 }), 'manage'),
  )
  if (!ownsAll) throw ctx.fail('forbidden', { detail: refusal(object) })
}

/** 403 for a change of a record's visibility by a caller who may not share it. */
export async function requireManaged(
  ctx: WriteContext,
  { object, principal }: WriteTarget,
  changed: readonly Turn[],
): Promise<void> {
  const turned = turnsOf(object, changed).map(({ update }) => update.row)
  if (turned.length === 0) return
  const levelOf = await levelsOn(ctx.tx, ctx.workspace.workspaceId, principal, turned, 'manage')
  if (!turned.every((row) => atLeast(levelOf(row), 'manage'))) throw ctx.fail('forbidden', { detail: refusal(object) })
}

/**
 * Applies the visibility that written records declare; returns their `visibility` by id. A private record is shared
 * only with individual members.
 */
export async function turnVisible(
  ctx: WriteContext,
  target: WriteTarget,
  changed: readonly Turn[],
): Promise<ReadonlyMap<string, number>> {
  const turned = new Map<string, number>()
  for (const { row, update } of turnsOf(target.object, changed))
    turned.set(row.id, await turn(ctx, target, row, update.row))
  return turned
}

async function turn(
  ctx: WriteContext,
  { object, principal }: WriteTarget,
  row: RecordRow,
  before: RecordRow,
): Promise<number> {
  const said = visibilityOf(object, row.data)
  const granted =
    said === hidden ? 0 : ((await findWorkspaceGrant(ctx.tx, ctx.workspace.workspaceId, row.id))?.level ?? 0)
  if (said === hidden)
    await shareWithWorkspace(ctx, apart, { ...before, object: object.name, objectKey: object.key, principal }, 'none')
  const visibility = visibilityOf(object, row.data, granted)
  if (visibility !== before.visibility) await changeVisibility(ctx, object, before, visibility)
  return visibility
}

/** Deletes the grant only: the resulting `visibility` is written together with the record's declaration. */
const apart = { updateVisibility: async () => undefined }
