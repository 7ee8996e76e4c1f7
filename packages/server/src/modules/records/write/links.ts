import type { Change } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import { missingText } from '../../../lib/texts.ts'
import type { DomainEvent } from '../../../kernel/events.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { isId } from '../../../kernel/ids.ts'
import type { Field } from '../../fields/index.ts'
import { seesAll } from '../../access/index.ts'
import { deleteLinks, insertNewLinks } from '../links/store.ts'
import {
  findObject,
  linkEndOf,
  otherEnd,
  type ObjectAccess,
  type ObjectModel,
  listVisibleIds,
  lockRecords,
  type LinkRow,
  type RecordRow,
} from '../../objects/index.ts'
import { keepHidden } from './references.ts'
import { listLinked, listReferable } from '../store.ts'
import { lockTargets, requireEach, type WriteTarget } from './target.ts'
import { applyUpdates } from './update.ts'

type RelatedContext = WriteContext<'related_not_found'>

/** Tells which related records are to be unlinked. */
type IsMeant = (id: string) => boolean

/** References and links hold no unique value, so writing them raises no `unique_violation`. */
const asUpdating = (ctx: WriteContext): WriteContext<'unique_violation'> =>
  ({ ...ctx, ifMatch: undefined }) as WriteContext<'unique_violation'>

/**
 * Returns the object at the other end; 404 `related_not_found` for related records that are missing or hidden. A
 * reference of the record itself leaves these records unchanged; other links change them, or appear in their feeds.
 */
export async function requireRelated<N extends 'refer' | 'write'>(
  ctx: RelatedContext,
  field: Field,
  ids: readonly string[],
  need: N,
): Promise<ObjectAccess<N>> {
  const entity = defined(field.relationship).entity
  const target = await findObject(ctx, entity, need)
  const visible = await listReferable(
    ctx.tx,
    ctx.workspace.workspaceId,
    target.object.key,
    ids.filter(isId),
    target.principal,
  )
  const missing = ids.filter((id) => !visible.has(id))
  if (missing.length > 0)
    throw ctx.fail('related_not_found', {
      detail: missingText(missing, entity),
      meta: { ids: missing.slice(0, 100) },
    })
  return target
}

/**
 * To-one: sets the record's own reference. A reference to a hidden record looks empty to the caller, and is not
 * cleared.
 */
export async function updateReference(
  ctx: WriteContext,
  target: WriteTarget,
  row: RecordRow,
  field: Field,
  to: string | null,
): Promise<Change[]> {
  const updates = await keepHidden(ctx, target.object, [
    { row, values: new Map([[field, to]]), strategies: new Map(), path: ['data'] },
  ])
  const updated = await applyUpdates(asUpdating(ctx), target, updates)
  return updated.flatMap(({ diff }) => diff)
}

/** One-to-many: sets the other records' own reference to this record. */
export async function takeOver(
  ctx: RelatedContext,
  field: Field,
  id: string,
  ids: readonly string[],
): Promise<Change[]> {
  const target = await requireRelated(ctx, field, ids, 'write')
  const reference = target.object.fields.get(field.relationship?.field ?? '')
  if (reference === undefined || ids.length === 0) return []
  return refer(ctx, target, reference, await lockTargets({ ...ctx, ifMatch: undefined }, target, ids), id)
}

/**
 * One-to-many: clears the reference of linked records. Until they are locked, other transactions may delete some or
 * link them elsewhere: those are no longer linked, and stay unchanged.
 */
export async function letGo(
  ctx: WriteContext,
  object: ObjectModel,
  field: Field,
  id: string,
  isMeant: IsMeant,
): Promise<Change[]> {
  const target = await findObject(ctx, defined(field.relationship).entity, 'write')
  const reference = target.object.fields.get(field.relationship?.field ?? '')
  if (reference === undefined) return []
  const locked = await lockLinked(ctx, object, field, id, isMeant)
  const linked = locked.filter(({ data }) => data[reference.key] === id)
  return refer(
    ctx,
    target,
    reference,
    await requireEach(
      ctx,
      target,
      linked.map((row) => row.id),
      linked,
      { several: true },
    ),
    null,
  )
}

/** Sets a reference of locked records. */
async function refer(
  ctx: WriteContext,
  target: WriteTarget,
  reference: Field,
  rows: readonly RecordRow[],
  to: string | null,
): Promise<Change[]> {
  const updated = await applyUpdates(
    asUpdating(ctx),
    target,
    rows.map((row) => ({ row, values: new Map([[reference, to]]), strategies: new Map(), path: ['data'] })),
  )
  return updated.flatMap(({ diff }) => diff)
}

/** Many-to-many: links records that are not linked yet. */
export async function addLinks(
  ctx: RelatedContext,
  object: ObjectModel,
  field: Field,
  id: string,
  ids: readonly string[],
): Promise<Change[]> {
  const target = await requireRelated(ctx, field, ids, 'write')
  const linked = new Set(await linkedIds(ctx, object, field, id))
  const added = ids.filter((other) => !linked.has(other))
  if (added.length === 0) return []
  await lockRecords(ctx.tx, ctx.workspace.workspaceId, target.object.key, added, 'change')
  await insertNewLinks(
    ctx,
    object,
    added.map((other) => linkRow(object, field, id, other)),
  )
  await tell(ctx, 'relationship.set', object, field, id, added)
  return [{ op: 'add', path: [field.name], val: added, oldVal: null }]
}

/** A record, and others that it is to be linked with. */
export type NewLinks = { readonly id: string; readonly others: readonly string[] }

/**
 * Many-to-many: links locked or new records with others that they are not linked with yet. Others that have been
 * deleted meanwhile are left out.
 */
export async function linkEach(
  ctx: WriteContext,
  object: ObjectModel,
  field: Field,
  given: readonly NewLinks[],
): Promise<void> {
  const target = await findObject(ctx, defined(field.relationship).entity, 'write')
  const ids = [...new Set(given.flatMap(({ others }) => others))].toSorted()
  if (ids.length === 0) return
  const live = new Set(
    (await lockRecords(ctx.tx, ctx.workspace.workspaceId, target.object.key, ids, 'change')).map((row) => row.id),
  )
  const linkEnd = linkEndOf(object, field)
  const links = given.flatMap(({ id, others }) =>
    others.filter((other) => live.has(other)).map((other) => linkRow(object, field, id, other)),
  )
  const made = await insertNewLinks(ctx, object, links)
  const byRecord = Map.groupBy(made, (link) => link[linkEnd.end])
  await ctx.emit(
    [...byRecord].flatMap(([id, some]) =>
      linkEvents(
        'relationship.set',
        object,
        field,
        id,
        some.map((link) => link[otherEnd(linkEnd)]),
      ),
    ),
  )
}

/** Many-to-many: removes existing links. */
export async function removeLinks(
  ctx: WriteContext,
  object: ObjectModel,
  field: Field,
  id: string,
  isMeant: IsMeant,
): Promise<Change[]> {
  const ids = (await lockLinked(ctx, object, field, id, isMeant)).map((row) => row.id)
  if (ids.length === 0) return []
  await deleteLinks(
    ctx,
    object,
    ids.map((other) => linkRow(object, field, id, other)),
  )
  await tell(ctx, 'relationship.unset', object, field, id, ids)
  return [{ op: 'delete', path: [field.name], val: null, oldVal: ids }]
}

/**
 * Locks the related records that are meant. A transaction that held one of them may have merged it, so that its link
 * now leads to another record: the links are read again until all other ends are locked.
 */
async function lockLinked(
  ctx: WriteContext,
  object: ObjectModel,
  field: Field,
  id: string,
  isMeant: IsMeant,
): Promise<RecordRow[]> {
  const { object: there } = await findObject(ctx, defined(field.relationship).entity, 'write')
  const locked = new Map<string, RecordRow | undefined>()
  for (;;) {
    const linked = (await linkedIds(ctx, object, field, id)).filter(isMeant)
    const unknown = linked.filter((other) => !locked.has(other))
    if (unknown.length === 0) return linked.flatMap((other) => locked.get(other) ?? [])
    for (const other of unknown) locked.set(other, undefined)
    for (const row of await lockRecords(ctx.tx, ctx.workspace.workspaceId, there.key, unknown, 'change'))
      locked.set(row.id, row)
  }
}

/** The related records that the caller may see: hidden ones are neither replaced nor unlinked. */
async function linkedIds(ctx: WriteContext, object: ObjectModel, field: Field, id: string): Promise<string[]> {
  const linkEnd = linkEndOf(object, field)
  const there = await findObject(ctx, defined(field.relationship).entity, 'write')
  const linked = await listLinked(ctx.tx, ctx.workspace.workspaceId, { ...linkEnd, other: otherEnd(linkEnd) }, id)
  if (linked.length === 0 || seesAll(there.principal)) return linked
  const visible = await listVisibleIds(ctx.tx, ctx.workspace.workspaceId, there.object.key, linked, there.principal)
  return linked.filter((one) => visible.has(one))
}

function linkRow(object: ObjectModel, field: Field, id: string, other: string): LinkRow {
  const { relationship, end } = linkEndOf(object, field)
  return { relationship, from_id: end === 'from_id' ? id : other, to_id: end === 'from_id' ? other : id }
}

/** Emits the events of links. */
const tell = (ctx: WriteContext, ...link: Parameters<typeof linkEvents>): Promise<void> => ctx.emit(linkEvents(...link))

/** The events of links at both ends, each under the name of its own field. */
function linkEvents(
  type: 'relationship.set' | 'relationship.unset',
  object: ObjectModel,
  field: Field,
  id: string,
  others: readonly string[],
): DomainEvent[] {
  const { entity, field: counterpart } = defined(field.relationship)
  const ends = others.map((other): DomainEvent => ({
    type,
    object: entity,
    recordId: other,
    payload: { relationship: defined(counterpart), ids: [id] },
  }))
  return [{ type, object: object.name, recordId: id, payload: { relationship: field.name, ids: others } }, ...ends]
}
