import type { WriteStrategies } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import { mapInPortions } from '../../../lib/portions.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import type { Dependent } from '../dependents.ts'
import { lockAssignedCounterparts, lockFormerCounterparts } from '../one-to-one/counterparts.ts'
import { keepHidden, checkReferences } from './references.ts'
import type { RecordRow, LinkRow } from '../../objects/index.ts'
import { Faults } from './faults.ts'
import { parseAttributes, parseContext, parseStrategies, type GivenChange } from './parse-attributes.ts'
import { resolveAttributes } from './record-matches.ts'
import { joinWith } from './strategies.ts'
import { checkType, findTarget, lockTargets, type WriteTarget } from './target.ts'
import { applyUpdates } from './update.ts'
import { addToCounts } from '../../counters/index.ts'
import { actorId } from '../../../kernel/actor.ts'
import { countsOf } from '../counts.ts'
import { hideLinks } from '../links/store.ts'
import { deleteSideRows, listLiveLinks } from '../store.ts'
import { changeReferring, relationshipsOf, type ReferringField } from './relationships.ts'

/** Changes records; all or none, in the order of the body. */
export async function updateRecords(
  ctx: WriteContext<'unique_violation' | 'match_ambiguous'>,
  objectName: string,
  asGiven: readonly GivenChange[],
  meta: WriteStrategies | undefined,
) {
  const target = await findTarget(ctx, objectName)
  const { object } = target
  const faults = new Faults()
  const given = await resolveAttributes(ctx, object, asGiven, faults)
  const ids = given.map(({ id }) => id)
  await lockAssignedCounterparts(ctx, object, given)
  const rows = await lockTargets(ctx, target, ids)
  const context = await parseContext(ctx)
  const strategies = parseStrategies(object, meta, faults)
  const seen = new Set<string>()
  const updates = await mapInPortions(given, ({ id, type, attributes, path }, index) => {
    checkType(object, type, path.slice(0, -1), faults)
    if (seen.has(id)) faults.add([...path.slice(0, -1), 'id'], 'This record is changed twice in one request.')
    seen.add(id)
    const row = defined(rows[index])
    const values = parseAttributes(object, attributes, path, faults, context, strategies)
    return joinWith(row, { values, attributes, path }, strategies, faults, context.country)
  })
  await checkReferences(ctx, object, updates, faults)
  faults.throwIfAny()
  return { target, updated: await applyUpdates(ctx, target, await keepHidden(ctx, object, updates)) }
}

/** Deletes records; all or none. An id given twice counts once. Returns the records as they were. */
export async function removeRecords(
  ctx: WriteContext,
  objectName: string,
  ids: readonly string[],
  dependents: readonly Dependent[],
): Promise<RecordRow[]> {
  const target = await findTarget(ctx, objectName, 'delete')
  const unique = [...new Set(ids)]
  await lockFormerCounterparts(ctx, target.object, unique)
  const rows = await lockTargets(ctx, target, unique, 'delete')
  await deleteRecords(ctx, target, rows)
  for (const { hide } of dependents) await hide?.(ctx.tx, ctx.workspace.workspaceId, unique, ctx.newId)
  return rows
}

/** Soft-deletes records: they vanish at once, release their unique values, and nothing refers to them any more. */
async function deleteRecords(ctx: WriteContext, { object }: WriteTarget, rows: readonly RecordRow[]): Promise<void> {
  const { tx, workspace, now } = ctx
  const ids = rows.map(({ id }) => id)
  const by = actorId(ctx.actor)
  const { references, outgoing, incoming } = await relationshipsOf(ctx, object)
  const referring = await listLiveLinks(tx, workspace.workspaceId, incoming, 'to_id', ids)
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
    hideBothEnds(ctx, object, { outgoing, incoming }, ids),
    addToCounts(tx, workspace.workspaceId, countsOf(object, rows, -1), ctx.newId),
    ctx.emit(rows.map(({ id }) => ({ type: 'record.deleted', object: object.name, recordId: id, payload: {} }))),
  ])
  await clearReferences(ctx, references, referring, new Set(ids))
}

/** Hides the links of records, one end after the other: a link between two of them is hidden once. */
async function hideBothEnds(
  ctx: WriteContext,
  object: WriteTarget['object'],
  { outgoing, incoming }: Readonly<Record<'outgoing' | 'incoming', readonly string[]>>,
  ids: readonly string[],
): Promise<void> {
  await hideLinks(ctx, object, outgoing, 'from_id', ids)
  await hideLinks(ctx, object, incoming, 'to_id', ids)
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
