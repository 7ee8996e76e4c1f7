import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Database } from '../../packages/server/src/db/tx.ts'
import { Runner, type RunnerOptions } from '../../packages/server/src/engine/runner.ts'
import { enqueue, type NewJob } from '../../packages/server/src/engine/store.ts'
import type { JobKind } from '../../packages/server/src/engine/types.ts'
import { errorLog } from '../harness/log.ts'

export const workspaceA = '01900000-0000-7000-8000-00000000000a'
export const workspaceB = '01900000-0000-7000-8000-00000000000b'

/** A clock that a test sets: what it adds is added to the real time. */
export function testClock() {
  let aheadMs = 0
  return {
    now: () => Date.now() + aheadMs,
    monotonicMs: () => performance.now(),
    jump: (ms: number) => void (aheadMs += ms),
  }
}

const number = z.object({ number: z.int() })
export type Numbered = z.infer<typeof number>

/** A kind of job that carries a number. */
export const numbered = (
  name: string,
  run: JobKind<Numbered>['run'],
  more: Partial<JobKind<Numbered>> = {},
): JobKind<Numbered> => ({ name, payload: number, run, ...more })

/** A runner that is stopped when the test has finished; it looks around every 50 ms. */
export async function startRunner(database: Database, options: Partial<RunnerOptions>): Promise<Runner> {
  const runner = new Runner({
    database,
    clock: testClock(),
    logger: errorLog().logger,
    kinds: [],
    recurring: [],
    pollMs: 50,
    ...options,
  })
  await runner.start()
  onTestFinished(() => runner.stop(1000))
  return runner
}

type Added = Partial<NewJob<Numbered>> & { readonly kind: JobKind<Numbered> }

export const add = (database: Database, job: Added): Promise<void> =>
  database.write((tx) => enqueue(tx, { workspaceId: workspaceA, payload: { number: 0 }, now: Date.now(), ...job }))

export type JobRow = {
  readonly kind: string
  readonly run_at: number
  readonly attempt: number
  readonly failures: number
  readonly leased_by: string | null
  readonly last_error: string | null
  readonly ended_at: number | null
}

/** The jobs that are there. */
export const jobsIn = (database: Database): Promise<JobRow[]> =>
  database.reader.query(({ knex }) => knex('job').select('*').orderBy('id'))

/** Waits until something holds. */
export async function until(holds: () => boolean | Promise<boolean>, what: string, withinMs = 15_000): Promise<void> {
  const from = performance.now()
  while (!(await holds())) {
    if (performance.now() - from > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`)
    await sleep(5)
  }
}

/** Waits until no job is left that will still run. */
export const untilDone = (database: Database, withinMs?: number): Promise<void> =>
  until(
    async () =>
      (await database.reader.query(({ knex }) => knex('job').select('id').whereNull('ended_at').limit(1))).length === 0,
    'every job done',
    withinMs,
  )
