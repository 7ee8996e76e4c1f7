import type { AgentBudgets } from '@kontor/contract'
import { StepFailure, type BlockContext } from '../../workflows/index.ts'

const minuteMs = 60_000

const exceeded = (minutes: number): StepFailure =>
  new StepFailure('budget_minutes', `The budget of the run is used up: it may take ${minutes} minutes.`)

/** Does work within the time that is left to a run; fails the step where that is over, or ends meanwhile. */
export async function withinMinutes<T>(
  { now, begunAt, signal }: Pick<BlockContext, 'now' | 'begunAt' | 'signal'>,
  { minutes }: Pick<AgentBudgets, 'minutes'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const left = begunAt + minutes * minuteMs - now
  if (left <= 0) throw exceeded(minutes)
  const end = AbortSignal.timeout(left)
  try {
    return await work(AbortSignal.any([signal, end]))
  } catch (error) {
    if (end.aborted && !signal.aborted) throw exceeded(minutes)
    throw error
  }
}
