import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import type { AccessTarget, AccessTargets } from '../access/index.ts'
import { schemaFeedId } from '../schemas/index.ts'
import { changeVisibility } from './counts.ts'
import { missingRecord } from './missing.ts'
import { findObject, type ObjectAccess, listLive, lockRecords, type RecordRow } from '../objects/index.ts'
import { listFormerOwners } from './recovery/store.ts'
import { visibilityOf } from './write/visibility.ts'

const targetOf = (
  { workspace: { workspaceId } }: WorkspaceReadContext,
  { object, principal }: ObjectAccess,
  { id, owner_id, visibility, data }: RecordRow,
): AccessTarget => ({
  id,
  owner_id,
  visibility,
  object: object.name,
  objectKey: object.key,
  objectGrantsId: schemaFeedId(workspaceId, object.key),
  unshared: visibilityOf(object, data),
  principal,
})

/** Records of any object, including meetings and messages, as sharing targets. */
export const recordTargets: AccessTargets = {
  async find(ctx, name, ids) {
    const { object, principal } = await findObject(ctx, name, 'read')
    const rows = ids.length === 0 ? [] : await listLive(ctx.tx, ctx.workspace.workspaceId, object.key, ids)
    return rows.map((row) => targetOf(ctx, { object, principal }, row))
  },

  async lock(ctx, name, ids) {
    const { object, principal } = await findObject(ctx, name, 'read')
    const rows = ids.length === 0 ? [] : await lockRecords(ctx.tx, ctx.workspace.workspaceId, object.key, ids, 'change')
    return rows.map((row) => targetOf(ctx, { object, principal }, row))
  },

  updateVisibility: (ctx, target, visibility) =>
    changeVisibility(ctx, { key: target.objectKey }, target, Math.max(visibility, target.unshared ?? 0)),

  async takenFrom(ctx, { id, owner_id: owner }) {
    const former = await listFormerOwners(ctx.tx, ctx.workspace.workspaceId, [id])
    return former.flatMap(({ owner_id, merged_by }) => (merged_by === owner ? owner_id : []))
  },

  missing: async (ctx, name, id) => missingRecord(ctx, await findObject(ctx, name, 'read'), id),
}
