import { enqueueNew, Runner, type JobKind } from '@kontor/server'
import { openConfigured, readConfig } from '@kontor/server/admin'
import { z } from 'zod'
import { logger } from '../in-process.ts'
import { median } from '../rates.ts'
import { waitUntil } from '../wait.ts'

/** Of the design: claims of a table of jobs in batches, without anything around them. */
const claimsOfDesign = { sqlite: 144_000, postgres: 28_000 } as const
export const jobsAtLeast = (database: keyof typeof claimsOfDesign): number => 0.8 * claimsOfDesign[database]

const perTransaction = 1000
/** Jobs of one workspace get at most three quarters of the slots. */
const workspaces = Array.from({ length: 4 }, (_, index) => `00000000-0000-4000-8000-00000000000${index}`)

/** Jobs a second. */
export type JobRates = { readonly enqueued: number; readonly completed: number }

/** Adds so many jobs that do nothing, and then claims and completes them: the median of the rounds. */
export async function measureJobs(url: string, count: number, rounds: number): Promise<JobRates> {
  const database = openConfigured(readConfig({ DATABASE_URL: url }))
  const clock = { now: () => Date.now(), monotonicMs: () => performance.now() }
  let done = 0
  const kind: JobKind<Record<string, never>> = {
    name: 'bench.nothing',
    payload: z.strictObject({}),
    run: async () => {
      done++
      return { state: 'done' }
    },
  }
  const enqueue = (size: number) =>
    database.write((tx) =>
      enqueueNew(
        tx,
        Array.from({ length: size }, (_, index) => ({
          workspaceId: workspaces[index % workspaces.length] as string,
          kind,
          payload: {},
          now: clock.now(),
        })),
      ),
    )
  const left = () =>
    database.reader.query(({ knex }) =>
      knex('job').select('id').where('kind', kind.name).whereNull('ended_at').limit(1),
    )
  const round = async (): Promise<JobRates> => {
    const started = performance.now()
    for (let added = 0; added < count; added += perTransaction) await enqueue(Math.min(perTransaction, count - added))
    const enqueued = performance.now()
    done = 0
    const runner = new Runner({ database, clock, logger, kinds: [kind], recurring: [] })
    await runner.start()
    await waitUntil(async () => done >= count && (await left()).length === 0, 'the jobs are done')
    const ended = performance.now()
    await runner.stop(1000)
    return { enqueued: (count * 1000) / (enqueued - started), completed: (count * 1000) / (ended - enqueued) }
  }
  try {
    const all: JobRates[] = []
    for (let number = 0; number < rounds; number++) all.push(await round())
    return {
      enqueued: median(all.map(({ enqueued }) => enqueued)),
      completed: median(all.map(({ completed }) => completed)),
    }
  } finally {
    await database.close()
  }
}
