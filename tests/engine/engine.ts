import { onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Database } from '../../packages/server/src/db/tx.ts'
import { Runner, type RunnerOptions } from '../../packages/server/src/engine/runner.ts'
import { enqueue, type NewJob } from '../../packages/server/src/engine/store.ts'
import type { JobKind } from '../../packages/server/src/engine/types.ts'
import { machineClock } from '../harness/clock.ts'
import { errorLog } from '../harness/log.ts'
import { until } from '../harness/until.ts'

export const workspaceA = '01900000-0000-7000-8000-00000000000a'
export const workspaceB = '01900000-0000-7000-8000-00000000000b'

type Clock = typeof machineClock
export type TestClock = Clock & {
  readonly jump: (ms: number) => void
  /** Lets time pass, on the clock that never jumps too. */
  readonly pass: (ms: number) => void
}

/** A clock that a test sets: what it adds is added to the real time. */
export function testClock(): TestClock {
  let aheadMs = 0
  let passedMs = 0
  return {
    now: () => machineClock.now() + aheadMs + passedMs,
    monotonicMs: () => machineClock.monotonicMs() + passedMs,
    jump: (ms) => void (aheadMs += ms),
    pass: (ms) => void (passedMs += ms),
  }
}

/** A clock that stands still until a test turns it: what waits for a moment waits for the test. */
export function heldClock(): Omit<TestClock, 'pass'> {
  let now = Date.UTC(2026, 0, 1)
  return { now: () => now, monotonicMs: machineClock.monotonicMs, jump: (ms) => void (now += ms) }
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
  database.write((tx) =>
    enqueue(tx, { workspaceId: workspaceA, payload: { number: 0 }, now: machineClock.now(), ...job }),
  )

export type JobRow = {
  readonly kind: string
  readonly run_at: number
  readonly attempt: number
  readonly failures: number
  readonly losses: number
  readonly leased_at: number | null
  readonly leased_by: string | null
  readonly last_error: string | null
  readonly ended_at: number | null
}

/** The jobs that are there. */
export const jobsIn = (database: Database): Promise<JobRow[]> =>
  database.reader.query(({ knex }) => knex('job').select('*').orderBy('id'))

/** Waits until no job is left that will still run. */
export const untilDone = (database: Database): Promise<unknown> =>
  until(
    async () =>
      (await database.reader.query(({ knex }) => knex('job').select('id').whereNull('ended_at').limit(1))).length === 0,
    { what: 'every job done' },
  )

/** Work that shows that a runner has taken a turn: what it would have begun by then, it has begun. */
export function bystander(database: Database, clock: Clock = machineClock) {
  let runs = 0
  const kind = numbered('bystander', async () => ({ state: 'done', runs: runs++ }))
  const passes = async (): Promise<void> => {
    const before = runs
    await add(database, { kind, now: clock.now() })
    await until(() => runs > before, { what: 'the bystander' })
  }
  return { kind, passes }
}
