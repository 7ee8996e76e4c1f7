import { DatabaseUnavailable, StatementTimeout } from '../../../db/errors.ts'
import { LeaseLost, type JobContext, type JobKind } from '../../../engine/types.ts'
import { activate } from './activate.ts'
import { check } from './check.ts'
import { claim } from './claim.ts'
import { clear } from './clear.ts'
import { changeType, type ChangePayload } from '../change/payload.ts'
import { begin, settle } from './prepare.ts'
import { again, stepContext, type ChangeServices, type StepOutcome, type StepContext } from './state.ts'
import { wait } from './wait.ts'
import { withdrawNow } from './withdraw.ts'

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
