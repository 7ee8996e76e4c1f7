import type { RunStatus } from '@kontor/contract'
import type { ReadTx, Tx } from '../../db/tx.ts'
import type { WorkspaceNow } from '../../kernel/clock.ts'
import { enqueue, enqueueKeyed, isUnderWay } from '../../engine/store.ts'
import { runKind } from './kind.ts'
import type { RunsNow } from './kinds.ts'
import { updateRunRow, type RunChanges, type RunRow, type SlimRun } from './store.ts'
import { deleteWaits, moveWaits } from './waits/store.ts'

const ended: ReadonlySet<RunStatus> = new Set(['success', 'failed', 'cancelled', 'suppressed'])

export const isEnded = ({ run_status }: Pick<RunRow, 'run_status'>): boolean => ended.has(run_status)

/** Changes a run that is locked, and what the kinds of workflows keep beside it. */
export async function updateRun(tx: Tx, at: RunsNow, run: SlimRun, changes: RunChanges): Promise<void> {
  await Promise.all([
    updateRunRow(tx, at.workspaceId, run, changes),
    ...at.kinds.map(({ dependent }) => dependent?.changed?.(tx, at, run, changes)),
  ])
}

/** Ends a run that is locked; the job that carries it on finds that there is nothing to do. */
export async function endRun<R extends SlimRun>(tx: Tx, at: RunsNow, run: R, changes: RunChanges): Promise<R> {
  const closed = await closeRun(tx, at, run, changes)
  await wake(tx, at, run)
  return closed
}

/** Ends a run that is locked, in a transaction that ends its job too. */
export async function closeRun<R extends SlimRun>(tx: Tx, at: RunsNow, run: R, changes: RunChanges): Promise<R> {
  const { workspaceId, now } = at
  const all = { ...changes, resume_at: null, ended_at: now, updated_at: now }
  await Promise.all([updateRun(tx, at, run, all), deleteWaits(tx, workspaceId, run.id)])
  return { ...run, ...all, revision: run.revision + 1 }
}

/** Changes a run that is locked, and lets it go on at once. */
export async function continueRun(tx: Tx, at: RunsNow, run: RunRow, changes: RunChanges): Promise<RunRow> {
  const all = { ...changes, resume_at: null, updated_at: at.now }
  await updateRun(tx, at, run, all)
  await wake(tx, at, run)
  return { ...run, ...all, revision: run.revision + 1 }
}

/** Gives a run that is locked to the record into which its own was merged. */
export async function moveRun(tx: Tx, at: RunsNow, run: RunRow, to: string): Promise<void> {
  const { id, record_id: from } = run
  await updateRun(tx, at, run, { record_id: to })
  if (from !== null) await moveWaits(tx, at.workspaceId, id, { from, to })
}

/** A run that rests has a job for later, one that has ended none. */
const wake = (tx: Tx, { workspaceId, now }: WorkspaceNow, { id }: Pick<RunRow, 'id'>): Promise<void> =>
  enqueue(tx, { workspaceId, kind: runKind, payload: { run_id: id }, now, key: id })

/** Returns whether a step of a run is being carried out; one that was cancelled meanwhile may still act. */
export const isCarriedOut = (tx: ReadTx, workspaceId: string, runId: string): Promise<boolean> =>
  isUnderWay(tx, { workspace_id: workspaceId, kind: runKind.name, job_key: runId })

/** Lets some runs that rest go on at once. */
export const carryOnRuns = (tx: Tx, { workspaceId, now }: WorkspaceNow, ids: readonly string[]): Promise<void> =>
  enqueueKeyed(tx, { workspaceId, kind: runKind, now }, new Map(ids.map((id) => [id, { run_id: id }])))
