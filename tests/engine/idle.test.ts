import { expect, test } from 'vitest'
import { ReadTx, type Database } from '../../packages/server/src/db/tx.ts'
import type { CalledWork } from '../../packages/server/src/engine/recurring.ts'
import { enqueueNew } from '../../packages/server/src/engine/store.ts'
import { freshDatabase } from '../db/fresh.ts'
import { machineClock } from '../harness/clock.ts'
import { until } from '../harness/until.ts'
import { add, jobsIn, numbered, startRunner, testClock, workspaceA, workspaceB } from './engine.ts'

/** A database that notes what is read through it, and each transaction. */
function noted(database: Database) {
  const sent: string[] = []
  const { executor } = database.reader
  const reader = new ReadTx({
    ...executor,
    send(query) {
      sent.push(query.text)
      return executor.send(query)
    },
  })
  const noting: Database = new Proxy(database, {
    get(target, name) {
      if (name === 'reader') return reader
      if (name === 'write') sent.push('a transaction')
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  return { noting, sent }
}

test('a runner with nothing to do asks one thing at a time, and work that is called one thing of its own', async () => {
  const database = await freshDatabase()
  const { noting, sent } = noted(database)
  const kind = numbered('soon', async () => ({ state: 'done' }))
  let looks = 0
  const called: CalledWork = {
    name: 'called',
    everyMs: 50,
    on: 'events',
    gapMs: 0,
    async run() {
      looks++
      return { state: 'done' }
    },
  }
  await startRunner(noting, { kinds: [kind], recurring: [called], pollMs: 30 })
  await add(database, { kind })
  await until(async () => (await jobsIn(database)).length === 0, { what: 'the job done' })
  // Leases are looked at until none is left, and then no more.
  await until(() => new Set(sent.slice(-10)).size === 1, { what: 'ten times the same' })
  expect(sent.at(-1)).toContain('union all')
  const before = looks
  await until(() => looks > before + 2, { what: 'more looks' })
  expect(new Set(sent.slice(-10)).size).toBe(1)
  expect(await jobsIn(database)).toEqual([])
})

test('a backlog is taken claim by claim, and not read again in between', async () => {
  const database = await freshDatabase()
  const { noting, sent } = noted(database)
  let runs = 0
  const kind = numbered('many', async () => ({ state: 'done', runs: runs++ }))
  const jobs = Array.from({ length: 600 }, (_, number) => ({
    workspaceId: number % 2 === 0 ? workspaceA : workspaceB,
    kind,
    payload: { number },
    now: machineClock.now(),
  }))
  await database.write((tx) => enqueueNew(tx, jobs))
  await startRunner(noting, { kinds: [kind], slots: 8 })
  await until(() => runs === jobs.length, { what: 'every job' })
  const claims = jobs.length / 8
  expect(sent.filter((text) => text === 'a transaction').length).toBeGreaterThanOrEqual(claims)
  const looks = sent.filter((text) => text.includes('union all') && !text.includes('recursive'))
  expect(looks.length).toBeLessThan(claims / 4)
})

test('a job for later is waited for, without a question in between', async () => {
  const database = await freshDatabase()
  const clock = testClock()
  const { noting, sent } = noted(database)
  let runs = 0
  const kind = numbered('later', async () => ({ state: 'done', runs: runs++ }))
  await startRunner(noting, { kinds: [kind], clock, pollMs: 600_000 })
  await until(() => sent.length > 0, { what: 'the start' })
  await add(database, { kind, runAt: clock.now() + 300_000 })
  const questions = () => sent.filter((text) => text.includes('union all')).length
  await until(() => questions() > 1, { what: 'the question behind the commit' })
  clock.pass(300_000)
  await until(() => runs > 0, { what: 'the run' })
  // When it started, heard of others, was told of the job, and when that was due; and behind the run. Each may be told
  // in two parts; who asked all the time would do so hundreds of times.
  expect(questions()).toBeLessThanOrEqual(10)
})
