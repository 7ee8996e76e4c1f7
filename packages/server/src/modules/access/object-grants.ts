import { type access, type Input, suggestion } from '@kontor/contract'
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
import { listGrants } from './grants.ts'
import { presentGrant, refuseWorkspaceKeys, requireGrant } from './present.ts'
import { principalOf } from './rules.ts'
import { putGrants, requireGrantees, revoke } from './service.ts'
import type { AccessTarget, AccessTargets } from './targets.ts'

/**
 * The object name under which grants on objects are stored; no records use it. A user who leaves loses these grants
 * with all others.
 */
export const grantedObject = 'schema'

/**
 * Grants on all records of an object are stored with those on single records, under the id of the feed of its schema.
 * They are read with the schemas: one consistent set of both for a whole operation, and a new epoch for each change
 * (docs/decisions/0080).
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
