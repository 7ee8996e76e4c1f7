import type { TaskError, TaskErrorCode } from '@kontor/contract'
import type { Tx } from '../../../db/tx.ts'
import { invariant } from '../../../lib/guards.ts'
import { lockTask, updateTask } from '../../async-tasks/index.ts'
import { lockSchemas, raiseEpoch, type WorkspaceSchemas } from '../../schemas/index.ts'
import { cleaningsOfWithdrawn, effectsOf } from '../change/effects.ts'
import { enqueueCleanings } from '../clean/job.ts'
import { wakeQueued, deleteQueued } from '../queue/store.ts'
import { deleteTargets, listTargets } from '../store.ts'

export type Reason = { readonly code: TaskErrorCode; readonly errors?: readonly TaskError[] }

/** A change by its task, and the current schemas, read under their lock. */
export type WithdrawnChange = {
  readonly workspaceId: string
  readonly schemas: WorkspaceSchemas
  readonly taskId: string
}

/** Withdraws a change after locking the schemas, for callers that have not locked them yet. */
export const withdrawNow = async (
  tx: Tx,
  workspaceId: string,
  taskId: string,
  reason: Reason,
  now: number,
): Promise<boolean> =>
  withdraw(tx, { workspaceId, schemas: (await lockSchemas(tx, workspaceId)).schemas, taskId }, reason, now)

/**
 * Withdraws a change before it is in force: every object keeps its version, and is free for other changes. False if it
 * is too late.
 */
export async function withdraw(
  tx: Tx,
  { workspaceId, schemas, taskId }: WithdrawnChange,
  { code, errors = [] }: Reason,
  now: number,
): Promise<boolean> {
  const fail = async (): Promise<true> => {
    await wakeQueued(tx, workspaceId, now)
    const task = await lockTask(tx, workspaceId, taskId)
    invariant(task !== undefined, 'a change has a task')
    await updateTask(tx, workspaceId, taskId, now, {
      failed_at: now,
      error_code: code,
      metadata: { ...task.metadata, ...(errors.length > 0 && { errors: [...errors] }) },
    })
    return true
  }
  // A queued change consists of nothing else.
  if (await deleteQueued(tx, workspaceId, taskId)) return fail()
  const targets = await listTargets(tx, workspaceId, taskId, schemas)
  const effects = targets.map(effectsOf)
  // Once it is in force, only the clearing of options remains, which cannot be withdrawn.
  if (targets.length === 0 || targets.some(({ clearing }) => Object.keys(clearing).length > 0)) return false
  await deleteTargets(tx, workspaceId, taskId)
  await raiseEpoch(tx, workspaceId)
  await enqueueCleanings(tx, workspaceId, effects.flatMap(cleaningsOfWithdrawn), now)
  return fail()
}
