import type { AccessGrantResource } from '@kontor/contract'
import { actorUserId } from '../../kernel/actor.ts'
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts'
import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import { resource } from '../../kernel/resource.ts'
import { listGrants, type GrantRow } from './grants.ts'
import { levelOf } from './rules.ts'
import type { AccessTarget } from './targets.ts'

/** Refuses workspace keys: these calls act as a person (spec §5.3). */
export function refuseWorkspaceKeys(ctx: WorkspaceReadContext<'forbidden'>): void {
  if (actorUserId(ctx.actor) === null)
    throw ctx.fail('forbidden', {
      detail: 'Sharing requires a user: a workspace key has no access of its own to grant.',
    })
}

/** Finds a grant on a locked target by its id. */
export async function requireGrant(ctx: WriteContext, target: AccessTarget, grantId: string): Promise<GrantRow> {
  const grant = (await listGrants(ctx.tx, ctx.workspace.workspaceId, target.id)).find(({ id }) => id === grantId)
  if (grant === undefined) throw ctx.fail('not_found', { detail: 'There is no grant with this id.' })
  return grant
}

/** Presents a grant; a grant on a whole object names that object. */
export const presentGrant = (grant: GrantRow, objectId = grant.record_id): AccessGrantResource =>
  resource('object-record-access', grant.id, {
    _id: grant.id,
    object_id: objectId,
    grantee_type: grant.grantee_type,
    grantee_id: grant.grantee_type === 'workspace' ? null : grant.grantee_id,
    access_level: levelOf(grant.level) as AccessGrantResource['attributes']['access_level'],
    _created_at: isoTime(grant.created_at),
    _created_by: grant.created_by,
    _updated_at: isoTimeOrNull(grant.updated_at),
    _updated_by: grant.updated_by,
  })
