import { DatabaseUnavailable, StatementTimeout } from '../../../db/errors.ts'
import { LeaseLost, type JobContext, type JobKind } from '../../../engine/types.ts'
import { activate } from './activate.ts'
import { check } from './check.ts'
import { claim } from './claim.ts'
import { clear } from './clear.ts'
import { changeType, type ChangePayload } from '../change/payload.ts'
import { again, stepContext, type ChangeServices, type StepOutcome, type StepContext } from './state.ts'
import { wait } from './wait.ts'
import { withdrawNow } from './withdraw.ts'
import { totalRecords } from '../../counters/index.ts'
import { listUnderWay } from '../../../db/older-transactions.ts'
import { updateTask } from '../../async-tasks/index.ts'
import { lockSchemas, raiseEpoch } from '../../schemas/index.ts'
import { asksOfRecords, type Effects } from '../change/effects.ts'
import { updateTargets } from '../store.ts'

const steps: Readonly<Record<ChangePayload['step'], (context: StepContext) => Promise<StepOutcome>>> = {
  wait,
  begin,
  settle,
  check,
  claim,
  activate,
  clear,
}

/** The time after which other nodes take the job over after a crash; a batch takes milliseconds. */
const leaseMs = 10_000

/** Consecutive failures after which a change is withdrawn; they take half a minute. */
const failuresMax = 6
const firstWaitMs = 500

/** The job of a schema change: one step, or one batch of it, at a time. */
export const changeKind = (services: ChangeServices): JobKind<ChangePayload> => ({
  ...changeType,
  leaseMs,
  // Before it is in force, a change withdraws itself; the work after that is retried without limit.
  maxAttempts: Infinity,
  async run(job, payload) {
    try {
      const context = await stepContext(job, payload, services)
      if (context.effects.length === 0 && payload.step !== 'clear' && payload.step !== 'wait') return { state: 'done' }
      const outcome = await steps[payload.step](context)
      return outcome.state === 'again' && outcome.payload !== undefined
        ? { ...outcome, payload: { ...outcome.payload, failures: 0 } }
        : outcome
    } catch (error) {
      // The answer of a commit may be lost: then the change is in force, and no step will say so again.
      services.forgetMemberships()
      if (
        payload.step === 'clear' ||
        error instanceof LeaseLost ||
        error instanceof DatabaseUnavailable ||
        job.signal.aborted
      )
        throw error
      return giveUpOrRetry(job, payload, error, services.forgetMemberships)
    }
  },
})

async function giveUpOrRetry(
  job: JobContext,
  payload: ChangePayload,
  error: unknown,
  forgetMemberships: () => void,
): Promise<StepOutcome> {
  const failures = payload.failures + 1
  job.logger.warn(
    { err: error, task: payload.taskId, step: payload.step, failures },
    'a step of a schema change failed',
  )
  if (failures < failuresMax) return again({ ...payload, failures }, firstWaitMs * 2 ** failures)
  const code = error instanceof StatementTimeout ? 'timeout' : 'internal'
  await job.database.write((tx) => withdrawNow(tx, job.workspaceId, payload.taskId, { code }, job.clock.now()))
  forgetMemberships()
  return { state: 'done' }
}

/** Interval of the checks whether all open transactions have seen the announcement. */
const lookAgainMs = 5

/** Returns the number of times that every record of an object is read. */
const passes = ({ evolution: { checked, claimed, indexed }, clearing }: Effects): number =>
  Number(checked.length > 0) + Number(claimed.length + indexed.length > 0) + Number(Object.keys(clearing).length > 0)

/** Counts the work, and announces the change to writers if it requires something of the records. */
async function begin({ job, payload, effects, forgetMemberships }: StepContext): Promise<StepOutcome> {
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
async function settle({ job, payload }: StepContext): Promise<StepOutcome> {
  const waiting = await listUnderWay(job.database.reader, payload.waiting ?? undefined)
  if (waiting.length > 0) return again({ ...payload, waiting }, lookAgainMs)
  return again({ ...payload, step: 'check', waiting: [], place: null }, 0)
}
