import type { WriteContext } from '../../../kernel/implement.ts'
import type { LinkRow } from '../store.ts'
import { lockEnds } from './store.ts'

/** Whether the records at the other ends of links are deleted; what was purged is not among them. */
export type Ends = ReadonlyMap<string, { readonly deleted: boolean }>

/**
 * The links of some records, and their other ends, which can neither be deleted nor restored any more. Whoever had
 * locked an end may have changed its links while we waited, so they are read again until all ends are ours.
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
