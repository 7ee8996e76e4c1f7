import type { WriteContext } from '../../../kernel/implement.ts'
import type { LinkRow } from '../../objects/index.ts'
import { lockEnds } from './store.ts'

/** The records at the other ends of links, and whether they are deleted; purged ones are missing. */
export type Ends = ReadonlyMap<string, { readonly deleted: boolean }>

/**
 * Locks the links of some records and their other ends, which then can neither be deleted nor restored. A transaction
 * that held a lock on an end may have changed its links during the wait, so the links are read again until all ends are
 * locked.
 */
export async function lockLinks<Link extends LinkRow>(
  ctx: WriteContext,
  ids: readonly string[],
  read: () => Promise<Link[]>,
): Promise<{ readonly links: Link[]; readonly ends: Ends }> {
  const known = new Set(ids)
  const ends = new Map<string, { readonly deleted: boolean }>()
  for (;;) {
    const links = await read()
    const unknown = [...new Set(links.flatMap(({ from_id, to_id }) => [from_id, to_id]))].filter((id) => !known.has(id))
    if (unknown.length === 0) return { links, ends }
    for (const { id, deleted_at } of await lockEnds(ctx.tx, ctx.workspace.workspaceId, unknown))
      ends.set(id, { deleted: deleted_at !== null })
    for (const id of unknown) known.add(id)
  }
}
