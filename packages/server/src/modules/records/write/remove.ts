import { addToCounts } from '../../counters/index.ts'
import { actorId } from '../../../kernel/actor.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { countsOf } from '../counts.ts'
import { hideLinks } from '../links/store.ts'
import { deleteSideRows, listLinksTo } from '../store.ts'
import type { LinkRow, RecordRow } from '../../objects/index.ts'
import { changeReferring, relationshipsOf, type ReferringField } from './relationships.ts'
import type { WriteTarget } from './target.ts'

/** Soft-deletes records: they vanish at once, release their unique values, and nothing refers to them any more. */
export async function deleteRecords(
  ctx: WriteContext,
  { object }: WriteTarget,
  rows: readonly RecordRow[],
): Promise<void> {
  const { tx, workspace, now } = ctx
  const ids = rows.map(({ id }) => id)
  const by = actorId(ctx.actor)
  const { references, outgoing, incoming } = await relationshipsOf(ctx, object)
  const referring = await listLinksTo(tx, workspace.workspaceId, incoming, ids)
  await Promise.all([
    tx.updateByKey(
      'record',
      ['workspace_id', 'id'],
      rows.map(({ id, version }) => ({
        workspace_id: workspace.workspaceId,
        id,
        version: version + 1,
        deleted_at: now,
        deleted_by: by,
      })),
    ),
    deleteSideRows(tx, workspace.workspaceId, ids),
    hideLinks(ctx, object, outgoing, 'from_id', ids),
    hideLinks(ctx, object, incoming, 'to_id', ids),
    addToCounts(tx, workspace.workspaceId, countsOf(object, rows, -1), ctx.newId),
    ctx.emit(rows.map(({ id }) => ({ type: 'record.deleted', object: object.name, recordId: id, payload: {} }))),
  ])
  await clearReferences(ctx, references, referring, new Set(ids))
}

/** Clears the to-one references to deleted records. The links remain, hidden, for a restore. */
async function clearReferences(
  ctx: WriteContext,
  references: readonly ReferringField[],
  links: readonly LinkRow[],
  deleted: ReadonlySet<unknown>,
): Promise<void> {
  for (const { object, field, relationship } of references) {
    const ids = links
      .filter((link) => link.relationship === relationship && !deleted.has(link.from_id))
      .map(({ from_id }) => from_id)
    // A record that meanwhile refers to another record keeps that reference.
    await changeReferring(ctx, object, ids, ({ data }) =>
      deleted.has(data[field.key]) ? new Map([[field, null]]) : undefined,
    )
  }
}
