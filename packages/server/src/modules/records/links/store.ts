import type { RowOf } from '../../../db/columns.ts'
import type { ObjectModel, LinkRow } from '../../objects/index.ts'
import { countChange, type LinkWriter } from './count.ts'

/** A link to be written; without `hidden_by` it is live. */
export type NewLink = LinkRow & { readonly hidden_by?: string | null }

/** A stored link, and the deleted record that it waits for, if any. */
type StoredLink = Omit<RowOf<'link'>, 'workspace_id'>

const keyOf = (workspaceId: string, { relationship, from_id, to_id }: LinkRow): Omit<RowOf<'link'>, 'hidden_by'> => ({
  workspace_id: workspaceId,
  relationship,
  from_id,
  to_id,
})

const isLive = ({ hidden_by }: NewLink): boolean => hidden_by === null || hidden_by === undefined

const columns = ['relationship', 'from_id', 'to_id'] as const

/** Inserts live links that do not exist yet. */
export async function insertLinks(writer: LinkWriter, object: ObjectModel, links: readonly LinkRow[]): Promise<void> {
  if (links.length === 0) return
  await Promise.all([
    writer.tx.insert(
      'link',
      links.map((link) => keyOf(writer.workspace.workspaceId, link)),
    ),
    countChange(writer, object, links, 1),
  ])
}

/** Inserts links of which some may exist; returns those that were new. */
export async function insertNewLinks(
  writer: LinkWriter,
  object: ObjectModel,
  links: readonly NewLink[],
): Promise<StoredLink[]> {
  const rows = links.map((link) => ({
    ...keyOf(writer.workspace.workspaceId, link),
    hidden_by: link.hidden_by ?? null,
  }))
  const made = await writer.tx.insertNew('link', rows, [...columns, 'hidden_by'])
  await countChange(writer, object, made.filter(isLive), 1)
  return made
}

/**
 * Deletes links; returns those that existed. If another transaction deletes one of them at the same time, that one has
 * updated the counter.
 */
export async function deleteLinks(
  writer: LinkWriter,
  object: ObjectModel,
  links: readonly LinkRow[],
): Promise<StoredLink[]> {
  if (links.length === 0) return []
  const gone = await writer.tx.deleteReturning(
    'link',
    links.map((link) => keyOf(writer.workspace.workspaceId, link)),
    [...columns, 'hidden_by'],
  )
  await countChange(writer, object, gone.filter(isLive), -1)
  return gone
}

/** Hides the links of some relationships at one end, each marked with the record that it waits for. */
export async function hideLinks(
  writer: LinkWriter,
  object: ObjectModel,
  relationships: readonly string[],
  end: 'from_id' | 'to_id',
  ids: readonly string[],
): Promise<void> {
  // Found and locked first: Citus would send an update by pairs to every shard.
  const found = await writer.tx.query<LinkRow>(({ knex, dialect }) =>
    dialect.locked(
      knex('link')
        .select(...columns)
        .where('workspace_id', writer.workspace.workspaceId)
        .where(dialect.bothOf(['relationship', relationships], [end, ids]))
        .whereNull('hidden_by'),
      'change',
    ),
  )
  const hidden = found.map((link) => ({ ...link, hidden_by: link[end] }))
  await Promise.all([writeHidden(writer, hidden), countChange(writer, object, found, -1)])
}

/** Shows hidden links again, or makes them wait for another record. */
export async function updateHidden(
  writer: LinkWriter,
  object: ObjectModel,
  links: readonly StoredLink[],
): Promise<void> {
  await Promise.all([writeHidden(writer, links), countChange(writer, object, links.filter(isLive), 1)])
}

const writeHidden = ({ tx, workspace }: LinkWriter, links: readonly StoredLink[]): Promise<void> =>
  tx.updateByKey(
    'link',
    ['workspace_id', ...columns],
    links.map((link) => ({ ...keyOf(workspace.workspaceId, link), hidden_by: link.hidden_by })),
  )
