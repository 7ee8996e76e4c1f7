import { addToCount } from '../../../db/counters.ts'
import { actorId } from '../../../kernel/actor.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import type { ObjectModel } from '../object.ts'
import { deleteTraces, hideLinks, listLinksTo, lockRecords, type LinkRow, type RecordRow } from '../store.ts'
import { relationshipsOf, type ReferringField } from './relationships.ts'
import { applyUpdates } from './update.ts'

/** Records that refer to deleted ones are read and mended in portions of this size. */
const mendedAtOnce = 1000

/** Deletes records softly: they vanish at once, hold no unique value, and nothing refers to them any more. */
export async function deleteRecords(ctx: WriteContext, object: ObjectModel, rows: readonly RecordRow[]): Promise<void> {
  const { tx, workspace, now } = ctx
  const ids = rows.map(({ id }) => id)
  const by = actorId(ctx.actor)
  const { references, outgoing, incoming } = await relationshipsOf(ctx, object)
  const referring = await listLinksTo(tx, workspace.workspaceId, incoming, ids)
  await Promise.all([
    tx.updateByKey(
      'record',
      ['workspace_id', 'id'],
      rows.map(({ id, version }) => ({ workspace_id: workspace.workspaceId, id, version: version + 1, deleted_at: now, deleted_by: by })),
    ),
    deleteTraces(tx, workspace.workspaceId, ids),
    hideLinks(tx, workspace.workspaceId, outgoing, 'from_id', ids),
    hideLinks(tx, workspace.workspaceId, incoming, 'to_id', ids),
    addToCount(tx, workspace.workspaceId, object.name, -rows.length, ctx.newId()),
    ctx.emit(rows.map(({ id }) => ({ type: 'record.deleted', object: object.name, recordId: id, payload: {} }))),
  ])
  await clearReferences(ctx, references, referring, new Set(ids))
}

/** Empties the to-one references that pointed at deleted records. The links stay, hidden, for a restore. */
async function clearReferences(ctx: WriteContext, references: readonly ReferringField[], links: readonly LinkRow[], deleted: ReadonlySet<string>): Promise<void> {
  for (const { object, field, relationship } of references) {
    const ids = links.filter((link) => link.relationship === relationship && !deleted.has(link.from_id)).map(({ from_id }) => from_id)
    for (let start = 0; start < ids.length; start += mendedAtOnce) {
      const rows = await lockRecords(ctx.tx, ctx.workspace.workspaceId, object.name, ids.slice(start, start + mendedAtOnce), 'change')
      const updates = rows.map((row) => ({ row, values: new Map([[field, null]]), strategies: new Map(), path: [] }))
      // Clearing a reference claims no unique value, so this cannot raise what deletion does not declare.
      await applyUpdates(ctx as WriteContext<'unique_violation'>, object, updates, { keepLinks: true })
    }
  }
}
