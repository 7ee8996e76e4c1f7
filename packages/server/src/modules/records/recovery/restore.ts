import { defined } from '../../../lib/guards.ts'
import { addToCounts } from '../../counters/index.ts'
import { actorId } from '../../../kernel/actor.ts'
import { isId } from '../../../kernel/ids.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import type { Dependent } from '../dependents.ts'
import { countsOf } from '../counts.ts'
import { fitted, type RecordData } from '../../fields/index.ts'
import { writeIndexRows } from '../../indexes/index.ts'
import { deleteLinks, updateHidden } from '../links/store.ts'
import { listObjects, type ObjectModel, listLive, type LinkRow, type RecordRow, keptMs } from '../../objects/index.ts'
import { isOneToOne, lockReturningCounterparts } from '../one-to-one/counterparts.ts'
import { checkPendingChange, Faults } from '../write/faults.ts'
import { changeReferring } from '../write/relationships.ts'
import { findTarget, requireEach, type WriteTarget } from '../write/target.ts'
import { claimUniques, uniqueRows, type SideRows } from '../write/side-rows.ts'
import { laterOf } from '../write/update.ts'
import { lockLinks, type Ends } from './lock-links.ts'
import { referencesByRelationship } from './lost-pairs.ts'
import { reconnect, type Offer, type Reconnection } from './reconnect.ts'
import { listHiddenLinks, listMerged, lockDeleted } from './store.ts'

type RestoreContext = WriteContext<'unique_violation'>

/** Restores deleted records with their links; all or none. An id given twice counts once. */
export async function restoreRecords(
  ctx: RestoreContext,
  objectName: string,
  ids: readonly string[],
  dependents: readonly Dependent[],
): Promise<{ target: WriteTarget; rows: RecordRow[] }> {
  const target = await findTarget(ctx, objectName)
  await lockReturning(ctx, target.object, ids)
  const deleted = await lockDeletedTargets(ctx, target, [...new Set(ids)])
  const restored = deleted.map(({ id }) => id)
  const { links, ends } = await lockLinks(ctx, restored, () =>
    listHiddenLinks(ctx.tx, ctx.workspace.workspaceId, restored),
  )
  const objects = await listObjects(ctx)
  const partners = await documentsOfPartners(ctx, objects, links, ends)
  const reconnection = reconnect(links, { objects, object: target.object, rows: deleted, ends, partners })
  const by = actorId(ctx.actor)
  const fitting = requireFitting(
    target,
    deleted.map((row) => ({ ...row, data: reconnection.data.get(row.id) ?? row.data })),
    ids,
  )
  const rows = fitting.map((row) => ({
    ...row,
    version: row.version + 1,
    updated_at: laterOf(ctx, row),
    updated_by: by,
  }))
  await writeRestored(ctx, target.object, rows, ids)
  await writeLinks(ctx, target.object, reconnection, await acceptOffers(ctx, reconnection.offers))
  for (const { show } of dependents) await show?.(ctx.tx, ctx.workspace.workspaceId, restored, ctx.newId)
  return { target, rows }
}

/** Locks the records with all that waiting one-to-one links lead to, so that those take no other counterpart. */
async function lockReturning(ctx: RestoreContext, object: ObjectModel, ids: readonly string[]): Promise<void> {
  const references = referencesByRelationship(await listObjects(ctx))
  const isPair = ({ relationship }: LinkRow): boolean => {
    const reference = references.get(relationship)
    return reference !== undefined && isOneToOne(reference.field)
  }
  await lockReturningCounterparts(ctx, object, ids, async (tx) =>
    (await listHiddenLinks(tx, ctx.workspace.workspaceId, ids.filter(isId)))
      .filter(isPair)
      .flatMap(({ from_id, to_id }) => [from_id, to_id]),
  )
}

/** The documents of the live records at the other ends of one-to-one relationships, which are locked by now. */
async function documentsOfPartners(
  ctx: RestoreContext,
  objects: ReadonlyMap<string, ObjectModel>,
  links: readonly LinkRow[],
  ends: Ends,
): Promise<ReadonlyMap<string, RecordData>> {
  const references = referencesByRelationship(objects)
  const documents = new Map<string, RecordData>()
  for (const [reference, some] of Map.groupBy(links, ({ relationship }) => references.get(relationship))) {
    const ids = some.map(({ from_id }) => from_id).filter((id) => ends.get(id)?.deleted === false)
    if (reference === undefined || !isOneToOne(reference.field) || ids.length === 0) continue
    for (const { id, data } of await listLive(ctx.tx, ctx.workspace.workspaceId, reference.object.key, ids))
      documents.set(id, data)
  }
  return documents
}

/** Checks deleted records against a schema that may have changed since: 422 for values that it no longer accepts. */
function requireFitting({ object }: WriteTarget, rows: readonly RecordRow[], ids: readonly string[]): RecordRow[] {
  const faults = new Faults()
  const fitting = rows.map((row) => {
    const { data, violations } = fitted(object, row.data)
    for (const { field, detail } of violations)
      faults.add(['items', ids.indexOf(row.id)], `The record no longer fits its schema: ${field}: ${detail}`)
    return { ...row, data }
  })
  faults.throwIfAny()
  checkPendingChange(
    object,
    fitting.map(({ id, data }) => ({ before: undefined, data, path: ['items', ids.indexOf(id)] })),
  )
  return fitting
}

/**
 * Locks the records to restore, in the order of the ids; 404 for those that were never deleted, are purged or were
 * merged.
 */
async function lockDeletedTargets(
  ctx: RestoreContext,
  target: WriteTarget,
  ids: readonly string[],
): Promise<RecordRow[]> {
  const { workspaceId } = ctx.workspace
  const wanted = ids.filter(isId)
  const rows = await lockDeleted(ctx.tx, workspaceId, target.object.key, wanted, ctx.now - keptMs)
  // Read once the records are locked, so that they cannot be merged any more.
  const merged = new Set((await listMerged(ctx.tx, workspaceId, wanted)).map(({ merged_id }) => merged_id))
  return requireEach(
    ctx,
    target,
    ids,
    rows.filter(({ id }) => !merged.has(id)),
    { several: true },
  )
}

async function writeRestored(
  ctx: RestoreContext,
  object: ObjectModel,
  rows: readonly RecordRow[],
  ids: readonly string[],
): Promise<void> {
  const {
    tx,
    workspace: { workspaceId },
  } = ctx
  // For an id that is given twice, the first position counts.
  const position = new Map(ids.map((id, index) => [id, index] as const).toReversed())
  const traced = rows.map((row): SideRows => ({ ...row, path: ['items', position.get(row.id) ?? 0], idAlone: true }))
  await Promise.all([
    tx.updateByKey(
      'record',
      ['workspace_id', 'id'],
      rows.map(({ id, version, updated_at, updated_by, data }) => ({
        workspace_id: workspaceId,
        id,
        version,
        updated_at,
        updated_by,
        deleted_at: null,
        deleted_by: null,
        data,
      })),
    ),
    writeIndexRows(ctx, object, [], traced),
    addToCounts(tx, workspaceId, countsOf(object, rows, 1), ctx.newId),
    ctx.emit(rows.map(({ id }) => ({ type: 'record.restored', object: object.name, recordId: id, payload: {} }))),
    claimUniques(
      ctx,
      object,
      traced.flatMap((record) => uniqueRows(workspaceId, object, record)),
      traced,
    ),
  ])
}

type Accepted = { readonly shown: LinkRow[]; readonly dropped: LinkRow[] }

/** Restores the references of live records whose field is still empty; of two offers for one field, the first wins. */
async function acceptOffers(ctx: RestoreContext, offers: readonly Offer[]): Promise<Accepted> {
  const shown = new Set<LinkRow>()
  for (const some of Map.groupBy(offers, ({ link }) => link.relationship).values()) {
    const { object, field } = defined(some[0])
    const byRecord = Map.groupBy(some, ({ link }) => link.from_id)
    await changeReferring(ctx, object, [...byRecord.keys()], (row) => {
      const offer = defined(byRecord.get(row.id)?.[0])
      if (row.data[field.key] !== undefined) return undefined
      shown.add(offer.link)
      return new Map([[field, offer.link.to_id]])
    })
  }
  return { shown: [...shown], dropped: offers.map(({ link }) => link).filter((link) => !shown.has(link)) }
}

async function writeLinks(
  ctx: RestoreContext,
  object: ObjectModel,
  { shown, waiting, dropped }: Reconnection,
  accepted: Accepted,
): Promise<void> {
  await Promise.all([
    updateHidden(ctx, object, [
      ...[...shown, ...accepted.shown].map((link) => ({ ...link, hidden_by: null })),
      ...waiting,
    ]),
    deleteLinks(ctx, object, [...dropped, ...accepted.dropped]),
  ])
}
