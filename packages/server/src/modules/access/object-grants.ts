import { suggestion, type access, type Input, type AccessGrantResource } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import {
  holdSchemas,
  raiseEpoch,
  schemaFeedId,
  workspaceSchemas,
  type StoredSchema,
  type WorkspaceSchemas,
} from '../schemas/index.ts'
import { listGrants, type GrantRow } from './grants.ts'
import { principalOf, levelOf } from './rules.ts'
import { putGrants, requireGrantees, revoke } from './service.ts'
import type { AccessTarget, AccessTargets } from './targets.ts'
import { actorUserId } from '../../kernel/actor.ts'
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts'
import { resource } from '../../kernel/resource.ts'

/**
 * The object name under which grants on objects are stored; no records use it. A user who leaves loses these grants
 * with all others.
 */
export const grantedObject = 'schema'

/**
 * Grants on all records of an object are stored with those on single records, under the id of the feed of its schema.
 * They are read with the schemas: one consistent set of both for a whole operation, and a new epoch for each change
 * (docs/decisions/0021).
 */
export const objectGrantHandlers = (forgetMemberships: () => void) => ({
  async listOfObject(ctx: WorkspaceReadContext<'forbidden'>, { object }: Input<typeof access.listOfObject>) {
    refuseWorkspaceKeys(ctx)
    const schema = requireSchema(ctx, await workspaceSchemas(ctx), object)
    const grants = await listGrants(ctx.tx, ctx.workspace.workspaceId, targetOf(ctx, schema).id)
    return { body: { data: grants.map((grant) => presentGrant(grant, object)) } }
  },

  async createOfObject(ctx: WriteContext, { object, body }: Input<typeof access.createOfObject>) {
    refuseWorkspaceKeys(ctx)
    // Before the schemas: removing a member also locks the member first.
    const wanted = await requireGrantees(ctx, [body.data], () => ['data'])
    const target = targetOf(ctx, requireSchema(ctx, await holdSchemas(ctx), object))
    const [put] = await putGrants(ctx, unseen, target, wanted)
    const { grant, created, changed } = defined(put)
    if (changed) await renew(ctx, forgetMemberships)
    return { body: { data: presentGrant(grant, object) }, status: created ? 201 : 200 }
  },

  async removeOfObject(ctx: WriteContext, { object, grant }: Input<typeof access.removeOfObject>) {
    refuseWorkspaceKeys(ctx)
    const target = targetOf(ctx, requireSchema(ctx, await holdSchemas(ctx), object))
    await revoke(ctx, unseen, target, await requireGrant(ctx, target, grant))
    await renew(ctx, forgetMemberships)
    return { body: {} }
  },
})

/** Makes all readers reload the schemas, and with them the grants. */
async function renew(ctx: WriteContext, forgetMemberships: () => void): Promise<void> {
  await raiseEpoch(ctx.tx, ctx.workspace.workspaceId)
  ctx.afterCommit(forgetMemberships)
}

function requireSchema(ctx: WorkspaceReadContext, schemas: WorkspaceSchemas, name: string): StoredSchema {
  const schema = schemas.get(name)
  if (schema !== undefined) return schema
  throw ctx.fail('not_found', {
    detail: `There is no object "${name.slice(0, 64)}" in this workspace.${suggestion(name, [...schemas.keys()])}`,
  })
}

const targetOf = (ctx: WorkspaceReadContext, schema: StoredSchema): AccessTarget => ({
  id: schemaFeedId(ctx.workspace.workspaceId, schema.keys.object),
  owner_id: null,
  visibility: 0,
  object: grantedObject,
  objectKey: grantedObject,
  principal: principalOf(ctx, schema, 'read'),
})

/** A workspace's grant on an object is stored in the grant alone. */
const unseen: Pick<AccessTargets, 'updateVisibility'> = { updateVisibility: async () => undefined }

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
