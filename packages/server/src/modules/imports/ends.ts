import type { TaskErrorCode } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'
import { lockTask, updateTask } from '../async-tasks/index.ts'
import { lockImport, updateImport, type ImportRow } from './store.ts'

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
