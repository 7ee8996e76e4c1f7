import type { WriteContext } from '../../../kernel/implement.ts'
import { linkOf, type ObjectModel } from '../object.ts'
import { changeReferring, relationshipsOf, type ReferringField } from '../write/relationships.ts'
import { lockLinks } from './lock-links.ts'
import { listDocuments, listLinksAt, type HideableLink } from './store.ts'

type Merge = { readonly object: ObjectModel; readonly targetId: string; readonly sourceIds: readonly string[] }

/**
 * Gives the links of merged records to the one that they live on in, those included that wait for a deleted record. What
 * a source refers to itself is not moved: it is a value, and those are merged before.
 */
export async function moveLinks(ctx: WriteContext, { object, targetId, sourceIds }: Merge): Promise<void> {
  const { tx, workspace: { workspaceId } } = ctx
  const { references, outgoing, incoming } = await relationshipsOf(ctx, object)
  const read = async () => [...(await listLinksAt(tx, workspaceId, outgoing, 'from_id', sourceIds)), ...(await listLinksAt(tx, workspaceId, incoming, 'to_id', sourceIds))]
  const { links } = await lockLinks(ctx, [targetId, ...sourceIds], read)
  const sources = new Set(sourceIds)
  const moved = (id: string) => (sources.has(id) ? targetId : id)
  const own = new Set(object.references.map((field) => linkOf(object, field).relationship))
  const kept = links
    .filter(({ relationship, from_id, hidden_by }) => !(own.has(relationship) && sources.has(from_id) && hidden_by === null))
    .map((link) => ({ ...keyed(workspaceId, link), from_id: moved(link.from_id), to_id: moved(link.to_id), hidden_by: link.hidden_by }))
    .filter(({ from_id, to_id }) => from_id !== to_id)
  await tx.deleteByKey('link', links.map((link) => keyed(workspaceId, link)))
  await tx.insertNew('link', kept, ['relationship'])
  for (const reference of references) await redirect(ctx, reference, links.filter(({ relationship, from_id }) => relationship === reference.relationship && moved(from_id) !== targetId), targetId)
}

const keyed = (workspaceId: string, { relationship, from_id, to_id }: HideableLink) => ({ workspace_id: workspaceId, relationship, from_id, to_id })

/** Lets references to sources point at the target: those of live records as a change, those of deleted ones silently, for their restore. */
async function redirect(ctx: WriteContext, { object, field }: ReferringField, links: readonly HideableLink[], targetId: string): Promise<void> {
  const { tx, workspace: { workspaceId } } = ctx
  const byVisibility = Map.groupBy(links, ({ hidden_by }) => hidden_by === null)
  await changeReferring(ctx, object, [...new Set(byVisibility.get(true)?.map(({ from_id }) => from_id))], () => new Map([[field, targetId]]))
  const waiting = byVisibility.get(false) ?? []
  const referred = new Set<unknown>(waiting.map(({ to_id }) => to_id))
  const rows = await listDocuments(tx, workspaceId, waiting.map(({ from_id }) => from_id))
  const changed = rows.filter(({ data }) => referred.has(data[field.key]))
  await tx.updateByKey('record', ['workspace_id', 'id'], changed.map(({ id, data }) => ({ workspace_id: workspaceId, id, data: { ...data, [field.key]: targetId } })))
}
