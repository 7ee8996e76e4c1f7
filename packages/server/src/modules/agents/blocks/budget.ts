import type { AgentBudgets } from '@kontor/contract'
import { StepFailure, type BlockContext } from '../../plugins/index.ts'

const minuteMs = 60_000

const exceeded = (minutes: number): StepFailure =>
  new StepFailure('budget_minutes', `The budget of the run is used up: ${minutes} minutes.`)

type Within = Pick<BlockContext, 'now' | 'begunAt' | 'signal'>

function timeLeft({ now, begunAt }: Omit<Within, 'signal'>, { minutes }: Pick<AgentBudgets, 'minutes'>): number {
  const left = begunAt + minutes * minuteMs - now
  if (left <= 0) throw exceeded(minutes)
  return left
}

/** Runs a program within the time that is left to a run; waiting for a process takes none of it. */
export async function programWithinMinutes<T>(
  within: Within,
  budgets: Pick<AgentBudgets, 'minutes'>,
  work: (wallMsMax: number) => Promise<T>,
): Promise<T> {
  const left = timeLeft(within, budgets)
  try {
    return await work(left)
  } catch (error) {
    if (left < minuteMs && error instanceof StepFailure && error.code === 'code_time_exceeded')
      throw exceeded(budgets.minutes)
    throw error
  }
}

/** Does work within the time that is left to a run; fails the step where that is over, or ends meanwhile. */
export async function withinMinutes<T>(
  within: Within,
  budgets: Pick<AgentBudgets, 'minutes'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal } = within
  const end = AbortSignal.timeout(timeLeft(within, budgets))
  try {
    return await work(AbortSignal.any([signal, end]))
  } catch (error) {
    if (end.aborted && !signal.aborted) throw exceeded(budgets.minutes)
    throw error
  }
}
