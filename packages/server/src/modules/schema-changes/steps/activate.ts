import { lockTask, updateTask } from '../../async-tasks/index.ts'
import type { Tx } from '../../../db/tx.ts'
import { actorId } from '../../../kernel/actor.ts'
import { lockSchemas } from '../../schemas/index.ts'
import { enqueueCleanings } from '../clean/job.ts'
import { putInForce } from '../put-in-force.ts'
import { wakeQueued } from '../queue/store.ts'
import { deleteTargets, updateTargetClearing } from '../store.ts'
import { again, type StepOutcome, type StepContext } from './state.ts'

/** Puts the change in force in one short transaction: nothing of it is visible before, all of it after. */
export async function activate({
  job,
  payload,
  effects,
  writeEvents,
  followSchemas,
  changeMemberships,
}: StepContext): Promise<StepOutcome> {
  const { workspaceId } = job
  const now = job.clock.now()
  const { taskId, actor, silent } = payload
  const clearing = effects.filter((one) => Object.keys(one.clearing).length > 0)
  const putAllInForce = async (tx: Tx): Promise<StepOutcome> => {
    const { schemas } = await lockSchemas(tx, workspaceId)
    const task = await lockTask(tx, workspaceId, taskId)
    if (task === undefined || task.failed_at !== null) return { state: 'done' }
    const author = {
      workspaceId,
      userId: actorId(actor),
      now,
      emit: (events: Parameters<typeof writeEvents>[2]) => writeEvents(tx, { workspaceId, actor, silent, now }, events),
    }
    await putInForce(
      tx,
      author,
      schemas,
      effects.map(({ target }) => target),
      followSchemas,
    )
    for (const one of clearing) await updateTargetClearing(tx, workspaceId, one.target.name, one.clearing)
    const settled = effects.filter((one) => !clearing.includes(one)).map(({ target }) => target.name)
    await deleteTargets(tx, workspaceId, taskId, settled)
    await wakeQueued(tx, workspaceId, now)
    await enqueueCleanings(
      tx,
      workspaceId,
      effects.flatMap(({ cleanings }) => cleanings),
      now,
    )
    if (clearing.length > 0) return again({ ...payload, step: 'clear', waiting: null, place: null }, 0)
    await updateTask(tx, workspaceId, taskId, now, { completed_at: now, progress: task.total ?? 1 })
    return { state: 'done' }
  }
  return changeMemberships(() => job.conclude(putAllInForce))
}
