import type { Tx } from '../../../db/tx.ts'
import type { Dependent } from '../dependents.ts'
import { deleteSideRows } from '../store.ts'
import {
  deleteLinksAt,
  listRelationships,
  deleteMergedInto,
  deletePurged,
  deleteWaitingLinks,
  listExpiredWorkspaces,
  lockExpired,
} from './store.ts'

type PurgeOptions = {
  /** Most records in a batch; 500 occupy the writer of SQLite for some milliseconds. */
  readonly limit?: number
}

type Purged = {
  /** Records that are gone for good. */
  readonly records: number
  /** Set if another batch would find something to do. */
  readonly more: boolean
}

const limitDefault = 500

/** Most events, comments and links that a batch removes, for each record that it may take. */
const rowsForEach = 10

/** Returns the purge with what hangs on records: the workspaces that have something to purge, and one batch in one. */
export const purgingOf = (dependents: readonly Dependent[]) => ({
  due: listExpiredWorkspaces,
  batch: (tx: Tx, workspaceId: string, now: number, options?: PurgeOptions): Promise<Purged> =>
    purge(tx, workspaceId, now, dependents, options),
})

/**
 * Purges records of a workspace whose retention has expired, the longest deleted first: one batch, so that it can be
 * stopped and resumed at any time, and run on several nodes. A record is removed last, once none of its dependents are
 * left.
 */
async function purge(
  tx: Tx,
  workspaceId: string,
  now: number,
  dependents: readonly Dependent[],
  { limit = limitDefault }: PurgeOptions = {},
): Promise<Purged> {
  const ids = await lockExpired(tx, workspaceId, now, limit)
  const rowsMax = limit * rowsForEach
  if ((await removeTraces(tx, workspaceId, ids, dependents, rowsMax)) >= rowsMax) return { records: 0, more: true }
  return { records: await deletePurged(tx, workspaceId, ids), more: ids.length === limit }
}

/**
 * Removes records for good, live ones too, with all their dependents, of which at most so many rows are removed;
 * returns false if there are more of these, and the records still exist.
 */
export async function purgeRecords(
  tx: Tx,
  workspaceId: string,
  ids: readonly string[],
  dependents: readonly Dependent[],
  rowsMax: number,
): Promise<boolean> {
  let left = rowsMax - (await removeTraces(tx, workspaceId, ids, dependents, rowsMax))
  if (left <= 0) return false
  // Without them, all links of the workspace would be read for a few.
  const relationships = await listRelationships(tx, workspaceId)
  for (const end of ['from_id', 'to_id'] as const)
    if (left > 0) left -= await deleteLinksAt(tx, workspaceId, relationships, end, ids, left)
  if (left <= 0) return false
  await deleteSideRows(tx, workspaceId, ids)
  await deletePurged(tx, workspaceId, ids)
  return true
}

/** Removes the dependents and side rows of records, at most so many rows; returns their number. */
async function removeTraces(
  tx: Tx,
  workspaceId: string,
  ids: readonly string[],
  dependents: readonly Dependent[],
  rowsMax: number,
): Promise<number> {
  const removers = [...dependents.map((dependent) => dependent.purge), deleteWaitingLinks, deleteMergedInto]
  let removed = 0
  for (const remove of removers) if (removed < rowsMax) removed += await remove(tx, workspaceId, ids, rowsMax - removed)
  return removed
}
