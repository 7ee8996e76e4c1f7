import type { TaskErrorCode } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'
import { endTask } from '../async-tasks/index.ts'
import { importRows, type ImportRow } from './store.ts'
import type { WorkspaceUpkeep } from '../../engine/each-workspace.ts'
import { dayMs, type WorkspaceNow } from '../../kernel/clock.ts'
import { deleteRejects } from './rejects/store.ts'
import { deleteReverts } from './revert/store.ts'

/** Returns whether an import goes on. */
export const isOpen = ({ state }: ImportRow): boolean => state === 'queued' || state === 'running'

/** The end of an import: by itself, or with an error and a text for people. */
export type ImportEnding =
  | { readonly state: 'completed' }
  | { readonly state: 'cancelled' }
  | { readonly state: 'failed'; readonly code: TaskErrorCode; readonly error: string }

/** Ends an import and its task; false if it has ended already. Locks the import before the task. */
export async function endImport(
  tx: Tx,
  { workspaceId, now }: WorkspaceNow,
  id: string,
  ending: ImportEnding,
): Promise<boolean> {
  const row = await importRows.lock(tx, workspaceId, id)
  if (row === undefined || !isOpen(row)) return false
  const error = ending.state === 'failed' ? ending.error : null
  await importRows.update(tx, workspaceId, id, { state: ending.state, error, ended_at: now })
  await endTask(tx, { workspaceId, now }, id, ending)
  return true
}

/** The time for which an import is kept. */
const keptMs = 90 * dayMs

const importsMax = 20
const rowsMax = 500

/** Deletes imports that ended long ago, their rejected rows first. */
export const importUpkeep: WorkspaceUpkeep = {
  due: (tx, now) => importRows.listExpiring(tx, now - keptMs),
  async batch(tx, workspaceId, now) {
    const ids = await importRows.listExpired(tx, workspaceId, now - keptMs, importsMax)
    if ((await deleteRejects(tx, workspaceId, ids, rowsMax)) === rowsMax) return true
    await deleteReverts(tx, workspaceId, ids)
    await importRows.remove(tx, workspaceId, ids)
    return ids.length === importsMax
  },
}
