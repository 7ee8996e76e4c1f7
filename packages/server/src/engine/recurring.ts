import { z } from 'zod'
import { handled } from '../lib/promises.ts'
import type { Topic } from '../db/published-topics.ts'
import { enqueue, isAwaited } from './store.ts'
import { systemWide, type Deps, type JobKind, type JobOutcome, type JobContext } from './types.ts'

/** Recurring work of the whole installation; it runs once, however many nodes there are. */
export type Recurring = {
  readonly kind: JobKind<Nothing>
  readonly everyMs: number
  readonly called?: Called
}

/**
 * Work that has no standing job. Each process looks whether there is any when it starts, when a commit publishes the
 * topic, at most once every `gapMs`, and every `everyMs`, for what was left behind by a process that has died.
 */
export type Called = {
  readonly on: Topic
  readonly gapMs: number
  /** Tells whether there is something to do; a read is cheaper than a job that finds nothing. */
  readonly isDue?: (deps: Deps) => Promise<boolean>
  /**
   * Does the work in this process, beside other processes that do it. Without it a job does it: one process at a time,
   * for some ten statements of bookkeeping.
   */
  readonly run?: (context: EarlyContext) => Promise<JobOutcome<Nothing>>
}

/** Context of work that may run outside a job. */
export type EarlyContext = Deps & Pick<JobContext, 'signal' | 'heartbeat'>

const nothing = z.object({})
type Nothing = z.infer<typeof nothing>

type Work = Pick<JobKind<Nothing>, 'maxAttempts' | 'leaseMs'> & {
  readonly name: string
  readonly run: (context: JobContext) => Promise<JobOutcome<Nothing>>
}

/**
 * Declares recurring work: `run` is repeated `everyMs` after it is done, or where it is called. Failures delay it and
 * never end it.
 */
export const every = (everyMs: number, work: Work, called?: Called): Recurring => ({
  kind: { ...work, payload: nothing },
  everyMs,
  ...(called !== undefined && { called }),
})

const key = 'every'

/** Returns whether a job belongs to recurring work and was not enqueued on its own. */
export const isStanding = (job: { readonly workspace_id: string; readonly job_key: string | null }): boolean =>
  job.workspace_id === systemWide && job.job_key === key

/**
 * Makes sure that the one job of a recurring work exists and runs at once; the data that it must see has been
 * committed.
 */
export async function summon(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  { kind }: Recurring,
): Promise<void> {
  const now = clock.now()
  if (await isAwaited(database.reader, { workspace_id: systemWide, kind: kind.name, job_key: key }, now)) return
  await database.write((tx) => enqueue(tx, { workspaceId: systemWide, kind, payload: {}, now, key }))
}

/** The time after which work is looked at again that failed. */
const failedMs = 5000

/** As long as other processes are not heard of, what they leave behind is looked for as often. */
const deafMs = 5000

/** Begins to look for work that is called; the returned function ends that, and waits for what is running. */
export function listen(deps: Deps, work: Recurring, called: Called): () => Promise<void> {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let dueAt = Infinity
  let running = Promise.resolve()
  let calledAt = -Infinity
  const plan = (inMs: number): void => {
    const now = performance.now()
    const at = Math.max(now + inMs, calledAt + called.gapMs)
    if (stopping.signal.aborted || dueAt <= at) return
    clearTimeout(timer)
    dueAt = at
    timer = setTimeout(() => {
      running = handled(running.then(call))
    }, at - now)
  }
  const call = async (): Promise<void> => {
    dueAt = Infinity
    calledAt = performance.now()
    let againMs = failedMs
    try {
      againMs = await look(deps, work, called, stopping.signal)
    } catch (error) {
      if (!stopping.signal.aborted)
        deps.logger.warn({ err: error, kind: work.kind.name }, 'recurring work waits for its next time')
    }
    plan(againMs)
  }
  plan(0)
  const stop = deps.database.subscribe(called.on, () => plan(0))
  return async () => {
    stop()
    clearTimeout(timer)
    stopping.abort(new Error('The server stops'))
    await running
  }
}

/** Looks for work, and does it or has it done; returns in how many milliseconds it looks again by itself. */
async function look(deps: Deps, work: Recurring, { isDue, run }: Called, signal: AbortSignal): Promise<number> {
  const restMs = deps.database.hearsOthers ? work.everyMs : Math.min(work.everyMs, deafMs)
  if (isDue !== undefined && !(await isDue(deps))) return restMs
  if (run === undefined) {
    await summon(deps, work)
    return restMs
  }
  const outcome = await run({ ...deps, signal, heartbeat: async () => undefined })
  return outcome.state === 'again' ? outcome.inMs : restMs
}
