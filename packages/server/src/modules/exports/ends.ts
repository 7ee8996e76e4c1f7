import type { TaskErrorCode } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'
import { dayMs, type WorkspaceNow } from '../../kernel/clock.ts'
import { lockTask, updateTask } from '../async-tasks/index.ts'
import { keepUntil } from '../files/index.ts'
import { lockExport, updateExport, deleteExports, listExpired, listExpiring, type ExportRow } from './store.ts'
import type { WorkspaceUpkeep } from '../../engine/each-workspace.ts'

/** The time for which an export and its file are kept. */
export const keptMs = 7 * dayMs

/** Returns whether an export goes on. */
export const isOpen = ({ state }: ExportRow): boolean => state === 'queued' || state === 'running'

/** The end of an export: with a file, or with an error and a text for people. */
type ExportEnding =
  | { readonly state: 'completed'; readonly bytes: number }
  | { readonly state: 'cancelled' }
  | { readonly state: 'failed'; readonly code: TaskErrorCode; readonly error: string }

/** Ends an export and its task; false if it has ended already. Locks the export before the task. */
export async function endExport(
  tx: Tx,
  { workspaceId, now }: WorkspaceNow,
  id: string,
  ending: ExportEnding,
): Promise<boolean> {
  const row = await lockExport(tx, workspaceId, id)
  if (row === undefined || !isOpen(row)) return false
  const error = ending.state === 'failed' ? ending.error : null
  const size_bytes = ending.state === 'completed' ? ending.bytes : null
  await updateExport(tx, workspaceId, id, { state: ending.state, error, size_bytes, ended_at: now })
  if (ending.state === 'completed') await keepUntil(tx, { workspace_id: workspaceId, id }, now + keptMs)
  if ((await lockTask(tx, workspaceId, id)) === undefined) return true
  const code = ending.state === 'failed' ? ending.code : 'cancelled'
  const changes = ending.state === 'completed' ? { completed_at: now } : { failed_at: now, error_code: code }
  await updateTask(tx, workspaceId, id, now, changes)
  return true
}

const exportsMax = 20

/** Deletes exports whose files are gone. */
export const exportUpkeep: WorkspaceUpkeep = {
  due: (tx, now) => listExpiring(tx, now - keptMs),
  async batch(tx, workspaceId, now) {
    const ids = await listExpired(tx, workspaceId, now - keptMs, exportsMax)
    await deleteExports(tx, workspaceId, ids)
    return ids.length === exportsMax
  },
}
