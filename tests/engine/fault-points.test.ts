import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Database, Tx } from '../../packages/server/src/db/tx.ts'
import { Runner } from '../../packages/server/src/engine/runner.ts'
import { LeaseLost, type JobKind } from '../../packages/server/src/engine/types.ts'
import { freshDatabase } from '../db/fresh.ts'
import { machineClock } from '../harness/clock.ts'
import { errorLog } from '../harness/log.ts'
import { add, jobsIn, startRunner, untilDone } from './engine.ts'
import { leaveTrace } from './programs/steps.ts'

/**
 * The small part of `fault-points.long.test.ts`: a process dies at each commit that a job of three steps takes, just
 * before it is sent and once it is done, and another one goes on. To the database a dead process is one that writes
 * nothing any more, so here it is a database that takes no write from then on.
 */

type Point = { readonly moment: 'before' | 'after'; readonly commit: number }

/** The database as a process has it that dies at a point; `gone` resolves then. */
function dyingAt(database: Database, { moment, commit }: Point) {
  const gone = Promise.withResolvers<void>()
  let commits = 0
  let isDead = false
  const die = (): never => {
    isDead = true
    gone.resolve()
    throw new LeaseLost()
  }
  const write = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    if (isDead) throw new LeaseLost()
    const isLast = ++commits === commit
    const result = await database.write(async (tx) => {
      const made = await work(tx)
      return isLast && moment === 'before' ? die() : made
    })
    return isLast ? die() : result
  }
  const dying = new Proxy(database, {
    get(target, name) {
      if (name === 'write') return write
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  return { dying, gone: gone.promise }
}

const stepsMax = 2
const perRound = 10

/** Each step leaves a trace with its end, and says before that it has begun. */
const steps: JobKind<{ number: number }> = {
  name: 'steps',
  payload: z.object({ number: z.int() }),
  async run({ workspaceId, heartbeat, conclude }, { number }) {
    await heartbeat()
    return conclude(async (tx) => {
      await leaveTrace(tx, workspaceId, number)
      return number % perRound === stepsMax
        ? { state: 'done' as const }
        : { state: 'again' as const, inMs: 0, payload: { number: number + 1 } }
    })
  },
}

const traces = async (database: Database): Promise<number[]> =>
  (
    await database.reader.query<{ delta: number }>(({ knex }) =>
      knex('record_count_delta').select('delta').orderBy('delta'),
    )
  ).map(({ delta }) => delta)

/** Leases run out by the clock, which other tests show; here they are given back. */
const giveBack = (database: Database): Promise<number> =>
  database.write((tx) =>
    tx.change(({ knex }) =>
      knex('job').whereNull('ended_at').whereNotNull('leased_by').update({ leased_by: null, run_at: 0 }),
    ),
  )

function* points(): Generator<Point> {
  for (let commit = 1; ; commit++) for (const moment of ['before', 'after'] as const) yield { moment, commit }
}

test('wherever a process dies, another one goes on: each step has been done exactly once', async () => {
  const database = await freshDatabase()
  const expected: number[] = []
  const deaths: Point[] = []
  for (const point of points()) {
    const first = deaths.length * perRound
    expected.push(first, first + 1, first + stepsMax)
    await add(database, { kind: steps, payload: { number: first } })
    const { dying, gone } = dyingAt(database, point)
    const { logger } = errorLog()
    const runner = new Runner({
      database: dying,
      clock: machineClock,
      logger,
      kinds: [steps],
      recurring: [],
      pollMs: 20,
    })
    await runner.start()
    const how = await Promise.race([gone.then(() => 'dead'), untilDone(database).then(() => 'done')])
    await runner.stop(1000)
    if (how === 'done') break
    deaths.push(point)
    await giveBack(database)
    const heir = await startRunner(database, { kinds: [steps], pollMs: 20 })
    await untilDone(database)
    await heir.stop(1000)
    expect(await traces(database), `${point.moment} commit ${point.commit}`).toEqual(expected)
  }
  expect(await traces(database)).toEqual(expected)
  expect(await jobsIn(database)).toEqual([])
  // It is taken, and three times says that it goes on and ends a step.
  expect(deaths.length).toBeGreaterThanOrEqual(2 * 7)
})
