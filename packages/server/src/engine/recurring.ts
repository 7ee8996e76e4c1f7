import { z } from 'zod'
import { handled } from '../lib/handled.ts'
import type { Topic } from '../db/published-topics.ts'
import { enqueue, isAwaited } from './store.ts'
import { systemWide, type Deps, type JobKind, type JobOutcome, type JobContext } from './types.ts'

/** Recurring work of the whole installation; it runs once, however many nodes there are. */
export type Recurring = {
  readonly kind: JobKind<Nothing>
  readonly everyMs: number
  readonly early?: Early
}

/** Runs work early when a commit of this process publishes the topic, but at most once every `gapMs`. */
export type Early = {
  readonly on: Topic
  readonly gapMs: number
  /** Tells whether there is something to do; a read is cheaper than a job that finds nothing. */
  readonly isDue?: (deps: Deps) => Promise<boolean>
  /**
   * Does the work in this process, beside other processes that do it. Without it the job is made to run at once: one
   * process at a time, for some ten statements of bookkeeping.
   */
  readonly run?: (context: EarlyContext) => Promise<JobOutcome<Nothing>>
}

/** What work needs that may run outside a job. */
export type EarlyContext = Deps & Pick<JobContext, 'signal' | 'heartbeat'>

const nothing = z.object({})
type Nothing = z.infer<typeof nothing>

type Work = Pick<JobKind<Nothing>, 'maxAttempts' | 'leaseMs'> & {
  readonly name: string
  readonly run: (context: JobContext) => Promise<JobOutcome<Nothing>>
}

/** Declares recurring work: `run` is repeated `everyMs` after it is done. Failures delay it and never end it. */
export const every = (everyMs: number, work: Work, early?: Early): Recurring => ({
  kind: { ...work, payload: nothing },
  everyMs,
  ...(early !== undefined && { early }),
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

/** Subscribes recurring work to its topic; the returned function unsubscribes, and waits for what is running. */
export function listen(deps: Deps, work: Recurring): () => Promise<void> {
  const { early } = work
  if (early === undefined) return async () => undefined
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let calledAt = -Infinity
  const plan = (): void => {
    if (stopping.signal.aborted) return
    timer ??= setTimeout(
      () => {
        running = handled(running.then(call))
      },
      Math.max(0, calledAt + early.gapMs - performance.now()),
    )
  }
  const call = async (): Promise<void> => {
    timer = undefined
    calledAt = performance.now()
    try {
      if ((await runEarly(deps, work, early, stopping.signal)) === 'again') plan()
    } catch (error) {
      if (!stopping.signal.aborted)
        deps.logger.warn({ err: error, kind: work.kind.name }, 'recurring work waits for its next time')
    }
  }
  const stop = deps.database.subscribe(early.on, plan)
  return async () => {
    stop()
    clearTimeout(timer)
    stopping.abort(new Error('The server stops'))
    await running
  }
}

async function runEarly(
  deps: Deps,
  work: Recurring,
  { isDue, run }: Early,
  signal: AbortSignal,
): Promise<'again' | 'done'> {
  if (isDue !== undefined && !(await isDue(deps))) return 'done'
  if (run !== undefined) return (await run({ ...deps, signal, heartbeat: async () => undefined })).state
  await summon(deps, work)
  return 'done'
}
