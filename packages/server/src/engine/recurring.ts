import { z } from 'zod'
import { handled } from '../lib/promises.ts'
import type { Topic } from '../db/published-topics.ts'
import { enqueue, isAwaited } from './store.ts'
import { systemWide, type Deps, type JobKind, type JobOutcome, type JobContext } from './types.ts'

/** Work of the whole installation that is repeated: it has one job, however many nodes there are. */
export type StandingWork = { readonly name: string; readonly everyMs: number; readonly kind: JobKind<Nothing> }

/**
 * Work that commits call for. It has no job: each process does it when it starts, when a commit of its own publishes
 * the topic, at most once every `gapMs`, and every `everyMs`, for what was left behind by a process that has died. So
 * it may run in several processes at once.
 */
export type CalledWork = {
  readonly name: string
  readonly everyMs: number
  readonly on: Topic
  readonly gapMs: number
  readonly run: (context: EarlyContext) => Promise<JobOutcome<Nothing>>
}

export type Recurring = StandingWork | CalledWork

/** Context of work that may run outside a job. */
export type EarlyContext = Deps & Pick<JobContext, 'signal' | 'heartbeat'>

const nothing = z.object({})
type Nothing = z.infer<typeof nothing>

type Work = Pick<JobKind<Nothing>, 'maxAttempts' | 'leaseMs'> & {
  readonly name: string
  readonly run: (context: JobContext) => Promise<JobOutcome<Nothing>>
}

/** Declares work that is repeated `everyMs` after it is done. Failures delay it and never end it. */
export const every = (everyMs: number, work: Work): StandingWork => ({
  name: work.name,
  everyMs,
  kind: { ...work, payload: nothing },
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
  { kind }: StandingWork,
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
export function listen(deps: Deps, work: CalledWork): () => Promise<void> {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let dueAt = Infinity
  let running = Promise.resolve()
  let calledAt = -Infinity
  const plan = (inMs: number): void => {
    const now = performance.now()
    const at = Math.max(now + inMs, calledAt + work.gapMs)
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
      againMs = await look(deps, work, stopping.signal)
    } catch (error) {
      if (!stopping.signal.aborted)
        deps.logger.warn({ err: error, kind: work.name }, 'recurring work waits for its next time')
    }
    plan(againMs)
  }
  plan(0)
  const stop = deps.database.subscribe(work.on, () => plan(0))
  return async () => {
    stop()
    clearTimeout(timer)
    stopping.abort(new Error('The server stops'))
    await running
  }
}

/** Does what there is to do; returns in how many milliseconds it looks again by itself. */
async function look(deps: Deps, { everyMs, run }: CalledWork, signal: AbortSignal): Promise<number> {
  const outcome = await run({ ...deps, signal, heartbeat: async () => undefined })
  if (outcome.state === 'again') return outcome.inMs
  return deps.database.hearsOthers ? everyMs : Math.min(everyMs, deafMs)
}
