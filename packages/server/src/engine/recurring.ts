import { z } from 'zod'
import type { Topic } from '../db/published-topics.ts'
import { enqueue, isAwaited } from './store.ts'
import { systemWide, type Deps, type JobKind, type JobOutcome, type JobContext } from './types.ts'

/** Recurring work of the whole installation; it runs once, however many nodes there are. */
export type Recurring = {
  readonly kind: JobKind<Nothing>
  readonly everyMs: number
  /** Runs early when a commit of this process publishes the topic, but at most once every `gapMs`. */
  readonly on?: Topic
  readonly gapMs?: number
}

const nothing = z.object({})
type Nothing = z.infer<typeof nothing>

type Work = Pick<JobKind<Nothing>, 'maxAttempts' | 'leaseMs'> & {
  readonly name: string
  readonly run: (context: JobContext) => Promise<JobOutcome<Nothing>>
}

/** Declares recurring work: `run` is repeated `everyMs` after it is done. Failures delay it and never end it. */
export const every = (everyMs: number, work: Work, early: Pick<Recurring, 'on' | 'gapMs'> = {}): Recurring => ({
  kind: { ...work, payload: nothing },
  everyMs,
  ...early,
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

/** Subscribes recurring work to its topic; the returned function unsubscribes. */
export function listen(deps: Deps, work: Recurring): () => void {
  const { on: topic, gapMs = 0 } = work
  if (topic === undefined) return () => undefined
  let timer: NodeJS.Timeout | undefined
  let summonedAt = -Infinity
  const call = async (): Promise<void> => {
    timer = undefined
    summonedAt = performance.now()
    await summon(deps, work).catch((error: unknown) =>
      deps.logger.warn({ err: error, kind: work.kind.name }, 'recurring work waits for its next time'),
    )
  }
  const stop = deps.database.subscribe(
    topic,
    () => (timer ??= setTimeout(() => void call(), Math.max(0, summonedAt + gapMs - performance.now()))),
  )
  return () => {
    stop()
    clearTimeout(timer)
  }
}
