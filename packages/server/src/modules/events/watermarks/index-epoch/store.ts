import type { Tx } from '../../../../db/tx.ts'
import { randomFraction } from '../../../../kernel/ids.ts'
import type { Cache } from '../../../../lib/caches.ts'
import { handled } from '../../../../lib/promises.ts'

// A change reads the watermark of its workspace as its first statement. The same row has the number of the workspace's
// set of indexes on demand, so that a process that knows that set does not read it for each change (0045).

type Begun = { readonly workspaceId: string; readonly epoch: Promise<number> }

const begun: Cache<{ current: Begun | undefined }> = { make: () => ({ current: undefined }) }

/** Remembers the number of the indexes that a change has read with the watermark. */
export function rememberEpoch(
  tx: Tx,
  workspaceId: string,
  read: Promise<{ readonly index_epoch: number | null } | undefined>,
): void {
  const epoch = handled(read.then((found) => found?.index_epoch ?? 0))
  tx.caches.get(begun).current = { workspaceId, epoch }
}

/**
 * The number of the indexes of a workspace as a change read it at its beginning; undefined for work that begins no
 * change there, or has changed the indexes itself: these may never be committed.
 */
export function indexEpochOf(tx: Tx, workspaceId: string): { readonly epoch: Promise<number> } | undefined {
  const { current } = tx.caches.get(begun)
  return current?.workspaceId === workspaceId ? current : undefined
}

/**
 * Gives the indexes of a workspace another number, with a change of them: a random one, so that no number of a change
 * that was rolled back, or that a restored backup does not have, comes again for other indexes.
 */
export async function renewIndexEpoch(tx: Tx, workspaceId: string): Promise<void> {
  tx.caches.get(begun).current = undefined
  const epoch = Math.floor(randomFraction() * Number.MAX_SAFE_INTEGER)
  await tx.change(
    (sql) =>
      sql`insert into horizon (workspace_id, told_until, index_epoch) values (${workspaceId}, 0, ${epoch})
       on conflict (workspace_id) do update set index_epoch = excluded.index_epoch`,
  )
}
