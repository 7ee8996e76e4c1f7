import { totalRecords } from '../../counters/index.ts'
import { listUnderWay } from '../../../db/older-transactions.ts'
import { updateTask } from '../../async-tasks/index.ts'
import { lockSchemas, raiseEpoch } from '../../schemas/index.ts'
import { asksOfRecords, type Effects } from '../change/effects.ts'
import { updateTargets } from '../store.ts'
import { again, type StepOutcome, type StepContext } from './state.ts'

/** Interval of the checks whether all open transactions have seen the announcement. */
const lookAgainMs = 5

/** Returns the number of times that every record of an object is read. */
const passes = ({ evolution: { checked, claimed, indexed }, clearing }: Effects): number =>
  Number(checked.length > 0) + Number(claimed.length + indexed.length > 0) + Number(Object.keys(clearing).length > 0)

/** Counts the work, and announces the change to writers if it requires something of the records. */
export async function begin({ job, payload, effects, forgetMemberships }: StepContext): Promise<StepOutcome> {
  const { workspaceId, clock } = job
  const announce = effects.some(asksOfRecords)
  const outcome = await job.conclude<StepOutcome>(async (tx) => {
    let total = 1
    for (const one of effects)
      if (passes(one) > 0) total += passes(one) * (await totalRecords(tx, workspaceId, one.after.key))
    await updateTask(tx, workspaceId, payload.taskId, clock.now(), { started_at: clock.now(), total })
    if (!announce) return again({ ...payload, step: 'activate' }, 0)
    await lockSchemas(tx, workspaceId)
    await updateTargets(tx, workspaceId, payload.taskId, 'announced')
    await raiseEpoch(tx, workspaceId)
    return again({ ...payload, step: 'settle' }, 0)
  })
  if (announce) forgetMemberships()
  return outcome
}

/**
 * Waits until every transaction that may not have seen the announcement has ended, so that checks made from here on
 * stay true.
 */
export async function settle({ job, payload }: StepContext): Promise<StepOutcome> {
  const waiting = await listUnderWay(job.database.reader, payload.waiting ?? undefined)
  if (waiting.length > 0) return again({ ...payload, waiting }, lookAgainMs)
  return again({ ...payload, step: 'check', waiting: [], place: null }, 0)
}
