import type { TaskErrorCode } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'
import { lockTask, updateTask } from '../async-tasks/index.ts'
import { lockImport, updateImport, deleteImports, listExpired, listExpiring, type ImportRow } from './store.ts'
import type { WorkspaceUpkeep } from '../../engine/each-workspace.ts'
import { dayMs } from '../../kernel/clock.ts'
import { deleteRejects } from './rejects/store.ts'
import { deleteReverts } from './revert/store.ts'

/** Returns whether an import goes on. */
export const isOpen = ({ state }: ImportRow): boolean => state === 'queued' || state === 'running'

/** The end of an import: by itself, or with an error and a text for people. */
export type ImportEnding =
  | { readonly state: 'completed' }
  | { readonly state: 'cancelled' }
  | { readonly state: 'failed'; readonly code: TaskErrorCode; readonly error: string }

type When = { readonly workspaceId: string; readonly now: number }

/** Ends an import and its task; false if it has ended already. Locks the import before the task. */
export async function endImport(
  tx: Tx,
  { workspaceId, now }: When,
  id: string,
  ending: ImportEnding,
): Promise<boolean> {
  const row = await lockImport(tx, workspaceId, id)
  if (row === undefined || !isOpen(row)) return false
  const error = ending.state === 'failed' ? ending.error : null
  await updateImport(tx, workspaceId, id, { state: ending.state, error, ended_at: now })
  if ((await lockTask(tx, workspaceId, id)) === undefined) return true
  const code = ending.state === 'failed' ? ending.code : 'cancelled'
  await updateTask(
    tx,
    workspaceId,
    id,
    now,
    ending.state === 'completed' ? { completed_at: now } : { failed_at: now, error_code: code },
  )
  return true
}

/** The time for which an import is kept. */
const keptMs = 90 * dayMs

const importsMax = 20
const rowsMax = 500

/** Deletes imports that ended long ago, their rejected rows first. */
export const importUpkeep: WorkspaceUpkeep = {
  due: (tx, now) => listExpiring(tx, now - keptMs),
  async batch(tx, workspaceId, now) {
    const ids = await listExpired(tx, workspaceId, now - keptMs, importsMax)
    if ((await deleteRejects(tx, workspaceId, ids, rowsMax)) === rowsMax) return true
    await deleteReverts(tx, workspaceId, ids)
    await deleteImports(tx, workspaceId, ids)
    return ids.length === importsMax
  },
}
