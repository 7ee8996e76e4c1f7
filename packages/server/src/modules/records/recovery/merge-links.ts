import type { Change } from '@kontor/contract'
import type { WriteContext } from '../../../kernel/implement.ts'
import { deleteLinks, insertNewLinks } from '../links/store.ts'
import { isToMany, linkEndOf, otherEnd, relationshipFields, type ObjectModel } from '../../objects/index.ts'
import { isOneToOne } from '../one-to-one/counterparts.ts'
import type { RecordData } from '../../fields/index.ts'
import { changeReferring, relationshipsOf, type ReferringField } from '../write/relationships.ts'
import { lockLinks } from './lock-links.ts'
import { listDocuments, listLinksAt, type HideableLink } from './store.ts'

type Merge = {
  readonly object: ObjectModel
  readonly targetId: string
  readonly sourceIds: readonly string[]
  readonly data: RecordData
}

/**
 * Moves the links of merged records to the target, including those that wait for a deleted record. The sources' own
 * references are not moved: they are values, and values are merged before. Returns the changes to the target.
 */
export async function moveLinks(ctx: WriteContext, merge: Merge): Promise<Change[]> {
  const { object, targetId, sourceIds } = merge
  const {
    tx,
    workspace: { workspaceId },
  } = ctx
  const { references, outgoing, incoming } = await relationshipsOf(ctx, object)
  const read = async () => [
    ...(await listLinksAt(tx, workspaceId, outgoing, 'from_id', sourceIds)),
    ...(await listLinksAt(tx, workspaceId, incoming, 'to_id', sourceIds)),
  ]
  const { links: found } = await lockLinks(ctx, [targetId, ...sourceIds], read)
  // Only links that still exist: a live record may have been linked elsewhere since they were read.
  const links = await deleteLinks(ctx, object, found)
  const sources = new Set(sourceIds)
  const moved = (id: string) => (sources.has(id) ? targetId : id)
  const own = new Set(object.references.map((field) => linkEndOf(object, field).relationship))
  const isLeft = leftBy(merge, references)
  const kept = links
    .filter(
      (link) => !isLeft(link) && !(own.has(link.relationship) && sources.has(link.from_id) && link.hidden_by === null),
    )
    .map((link) => ({
      relationship: link.relationship,
      from_id: moved(link.from_id),
      to_id: moved(link.to_id),
      hidden_by: link.hidden_by,
    }))
    .filter(({ from_id, to_id }) => from_id !== to_id)
  const made = await insertNewLinks(ctx, object, kept)
  for (const reference of references) {
    const referring = links.filter(
      ({ relationship, from_id }) => relationship === reference.relationship && moved(from_id) !== targetId,
    )
    await changeReferring(
      ctx,
      reference.object,
      referring.filter(isLeft).map(({ from_id }) => from_id),
      () => new Map([[reference.field, null]]),
    )
    await redirect(
      ctx,
      reference,
      referring.filter((link) => !isLeft(link)),
      targetId,
    )
  }
  const lost = links.filter(({ from_id, to_id }) => moved(from_id) === moved(to_id))
  return [...changesOf(object, targetId, made, 'add'), ...changesOf(object, targetId, lost, 'delete')]
}

/**
 * By to-many field of the target, the records that it is newly linked to or no longer linked to, as changes of one
 * record.
 */
function changesOf(
  object: ObjectModel,
  targetId: string,
  links: readonly HideableLink[],
  op: 'add' | 'delete',
): Change[] {
  return relationshipFields(object)
    .filter(isToMany)
    .flatMap((field): Change[] => {
      const linkEnd = linkEndOf(object, field)
      const there = links.filter(
        (link) =>
          link.hidden_by === null && link.relationship === linkEnd.relationship && link[linkEnd.end] === targetId,
      )
      const ids = there.map((link) => link[otherEnd(linkEnd)]).toSorted()
      if (ids.length === 0) return []
      return [{ op, path: [field.name], val: op === 'add' ? ids : null, oldVal: op === 'add' ? null : ids }]
    })
}

/**
 * Tells whether a link leads to a counterpart that the target does not keep: of the counterparts of the merged records
 * in a one-to-one relationship, it keeps the one in its document.
 */
function leftBy({ object, data }: Merge, references: readonly ReferringField[]): (link: HideableLink) => boolean {
  const partners = new Map(
    references
      .filter(({ field }) => isOneToOne(field))
      .map(({ field, relationship }) => [
        relationship,
        data[object.fields.get(field.relationship?.field ?? '')?.key ?? ''],
      ]),
  )
  return ({ relationship, from_id, hidden_by }) =>
    hidden_by === null && partners.has(relationship) && partners.get(relationship) !== from_id
}

/**
 * Redirects references to sources to the target: those of live records as a change, those of deleted ones silently, for
 * their restore.
 */
async function redirect(
  ctx: WriteContext,
  { object, field }: ReferringField,
  links: readonly HideableLink[],
  targetId: string,
): Promise<void> {
  const {
    tx,
    workspace: { workspaceId },
  } = ctx
  const byVisibility = Map.groupBy(links, ({ hidden_by }) => hidden_by === null)
  await changeReferring(
    ctx,
    object,
    [...new Set(byVisibility.get(true)?.map(({ from_id }) => from_id))],
    () => new Map([[field, targetId]]),
  )
  const waiting = byVisibility.get(false) ?? []
  const referred = new Set<unknown>(waiting.map(({ to_id }) => to_id))
  const rows = await listDocuments(
    tx,
    workspaceId,
    waiting.map(({ from_id }) => from_id),
  )
  const changed = rows.filter(({ data }) => referred.has(data[field.key]))
  await tx.updateByKey(
    'record',
    ['workspace_id', 'id'],
    changed.map(({ id, data }) => ({ workspace_id: workspaceId, id, data: { ...data, [field.key]: targetId } })),
  )
}
