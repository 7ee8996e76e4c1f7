import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { DatabaseCrowded, DatabaseOverloaded } from './errors.ts'
import { Semaphore } from './semaphore.ts'

const turnsOf = (options: Partial<ConstructorParameters<typeof Semaphore>[0]> = {}) =>
  new Semaphore({ atOnceMax: 3, waitingMax: 100, waitMsMax: 5000, mayJoin: () => true, ...options })

/**
 * Runs jobs that take a few turns of the event loop each; returns the order in which they began, and the most that ran
 * at once.
 */
async function runAll(turns: Semaphore, count: number) {
  const begun: number[] = []
  let running = 0
  let most = 0
  const work = (index: number) => async () => {
    begun.push(index)
    most = Math.max(most, ++running)
    for (let left = index % 4; left > 0; left--) await nextTurn()
    running--
    if (index % 5 === 0) throw new Error(`work ${index}`)
    return index
  }
  const results = await Promise.allSettled(Array.from({ length: count }, (_, index) => turns.run(work(index))))
  return { begun, most, results }
}

test('works in the order in which it came, so much at once, whatever fails', async () => {
  const turns = turnsOf()
  const { begun, most, results } = await runAll(turns, 50)
  expect(begun).toEqual(Array.from({ length: 50 }, (_, index) => index))
  expect(most).toBe(3)
  expect(results.map((result) => result.status === 'fulfilled')).toEqual(
    Array.from({ length: 50 }, (_, index) => index % 5 !== 0),
  )
  expect(turns.waiting).toBe(0)
  expect(await turns.run(async () => 'again')).toBe('again')
})

test('works alone while no other may join, and goes on together once others may', async () => {
  let mayJoin = false
  const turns = turnsOf({ mayJoin: () => mayJoin })
  expect((await runAll(turns, 10)).most).toBe(1)
  mayJoin = true
  expect((await runAll(turns, 10)).most).toBe(3)
})

test('refuses at once who finds too many waiting', async () => {
  const turns = turnsOf({ atOnceMax: 1, waitingMax: 2 })
  const { results } = await runAll(turns, 5)
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'rejected', 'rejected'])
  for (const result of results.slice(3))
    expect((result as PromiseRejectedResult).reason).toBeInstanceOf(DatabaseCrowded)
})

test('refuses only the ones that have waited too long', async () => {
  const turns = turnsOf({ atOnceMax: 1, waitMsMax: 30 })
  const end = Promise.withResolvers<string>()
  const long = turns.run(() => end.promise)
  await expect(turns.run(async () => 'late')).rejects.toThrow(DatabaseOverloaded)
  expect(turns.waiting).toBe(0)
  end.resolve('long')
  expect(await long).toBe('long')
  expect(await turns.run(async () => 'next')).toBe('next')
})
