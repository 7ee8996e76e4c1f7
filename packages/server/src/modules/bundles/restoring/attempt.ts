import type { Database, Tx } from '../../../db/tx.ts'
import { BundleFault } from '../reading/bundle-fault.ts'
import { lockAttempt } from '../store.ts'

/** An attempt to restore a workspace: its slug until it is finished names the attempt. */
export type RestoreAttempt = { readonly workspaceId: string; readonly unfinishedSlug: string }

/** Writes a part of a restore. Throws where another attempt has begun since: only one writes the workspace. */
export const inAttempt = <T>(
  database: Database,
  { workspaceId, unfinishedSlug }: RestoreAttempt,
  work: (tx: Tx) => Promise<T>,
): Promise<T> =>
  database.write(async (tx) => {
    if (!(await lockAttempt(tx, workspaceId, unfinishedSlug)))
      throw new BundleFault('Another restore of this bundle has begun, and this one has stopped.')
    return work(tx)
  })
