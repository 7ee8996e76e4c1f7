import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { FairTurns, type FairTurnsOptions } from './fair-turns.ts'

class Crowded extends Error {}
class Late extends Error {}
const refusals = { crowded: (message: string) => new Crowded(message), late: (message: string) => new Late(message) }

const turnsOf = (options: Partial<FairTurnsOptions> = {}) =>
  new FairTurns({ atOnceMax: 4, waitingMax: 400, waitMsMax: 5000, mayJoin: () => true, refusals, ...options })

/**
 * Runs jobs that take a few turns of the event loop each; returns the order in which they began, and the most that ran
 * at once.
 */
async function runAll(turns: FairTurns, count: number) {
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
  const results = await Promise.allSettled(Array.from({ length: count }, (_, index) => turns.run('one', work(index))))
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
  expect(await turns.run('one', async () => 'again')).toBe('again')
})

test('works alone while no other may join, and goes on together once others may', async () => {
  let mayJoin = false
  const turns = turnsOf({ mayJoin: () => mayJoin })
  expect((await runAll(turns, 10)).most).toBe(1)
  mayJoin = true
  expect((await runAll(turns, 10)).most).toBe(3)
})

test('refuses at once who finds too many waiting', async () => {
  const turns = turnsOf({ atOnceMax: 1, waitingMax: 8 })
  const { results } = await runAll(turns, 5)
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'rejected', 'rejected'])
  for (const result of results.slice(3)) expect((result as PromiseRejectedResult).reason).toBeInstanceOf(Crowded)
})

test('refuses only the ones that have waited too long', async () => {
  const turns = turnsOf({ atOnceMax: 1, waitMsMax: 30 })
  const end = Promise.withResolvers<string>()
  const long = turns.run('one', () => end.promise)
  await expect(turns.run('one', async () => 'late')).rejects.toThrow(Late)
  expect(turns.waiting).toBe(0)
  end.resolve('long')
  expect(await long).toBe('long')
  expect(await turns.run('one', async () => 'next')).toBe('next')
})

test('a signal ends the wait for a turn, and those behind move up', async () => {
  const turns = turnsOf({ atOnceMax: 1 })
  const end = Promise.withResolvers<void>()
  const first = turns.run('one', () => end.promise)
  const controller = new AbortController()
  const second = turns.run('one', async () => 'second', controller)
  const third = turns.run('one', async () => 'third')
  controller.abort(new Error('enough'))
  await expect(second).rejects.toThrow('enough')
  expect(turns.waiting).toBe(1)
  end.resolve()
  await first
  expect(await third).toBe('third')
  await expect(turns.run('one', async () => 'late', controller)).rejects.toThrow('enough')
})

test('what resumes goes before what its party has waiting, and is never refused', async () => {
  const turns = turnsOf({ atOnceMax: 1, waitingMax: 8, waitMsMax: 20 })
  const end = Promise.withResolvers<void>()
  const begun: string[] = []
  const first = turns.run('one', () => end.promise)
  const waiting = [1, 2].map(() => turns.run('one', async () => void begun.push('waits')))
  await expect(turns.run('one', async () => undefined)).rejects.toThrow(Crowded)
  const resumed = turns.run('one', async () => void begun.push('resumes'), { isResumption: true })
  for (const each of waiting) await expect(each).rejects.toThrow(Late)
  const next = turns.run('one', async () => void begun.push('next'))
  end.resolve()
  await Promise.all([first, resumed, next])
  expect(begun).toEqual(['resumes', 'next'])
})

/** Work that ends when it is told to, and the order in which works began. */
function steps(turns: FairTurns) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    begun,
    ask: (party: string, count: number): Promise<PromiseSettledResult<void>[]> => {
      const works = Array.from({ length: count }, (_, index) => {
        const title = `${party}${index}`
        return turns.run(party, async () => {
          begun.push(title)
          const { promise, resolve } = Promise.withResolvers<void>()
          ends.set(title, resolve)
          await promise
        })
      })
      return Promise.allSettled(works)
    },
    /** Ends what began first and still runs, and lets what follows begin. */
    end: async (): Promise<void> => {
      const [first] = ends
      if (first === undefined) throw new Error('nothing runs')
      ends.delete(first[0])
      first[1]()
      for (let turn = 0; turn < 3; turn++) await nextTurn()
    },
  }
}

/** Returns whether these works have all ended by the next turn, none of them waiting. */
async function refused(asked: Promise<PromiseSettledResult<void>[]>): Promise<boolean> {
  const [last] = (await Promise.race([asked, nextTurn(['waits'])])) as unknown[]
  return last !== 'waits'
}

test('turns go round between parties, whoever asks for how much', async () => {
  const { begun, ask, end } = steps(turnsOf({ atOnceMax: 1 }))
  void ask('a', 20)
  void ask('b', 3)
  void ask('c', 2)
  for (let turn = 0; turn < 9; turn++) await end()
  expect(begun).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
})

test('of several turns one is left to others, who take it at once', async () => {
  const { begun, ask, end } = steps(turnsOf({ atOnceMax: 3 }))
  void ask('a', 9)
  void ask('b', 1)
  expect(begun).toEqual(['a0', 'a1', 'b0'])
  await end()
  expect(begun).toEqual(['a0', 'a1', 'b0', 'a2'])
  void ask('c', 2)
  await end()
  expect(begun).toEqual(['a0', 'a1', 'b0', 'a2', 'c0'])
})

test('the party that has the fewest running comes first', async () => {
  const { begun, ask, end } = steps(turnsOf({ atOnceMax: 4 }))
  void ask('a', 5)
  void ask('b', 5)
  expect(begun).toEqual(['a0', 'a1', 'a2', 'b0'])
  await end()
  expect(begun.at(-1)).toBe('b1')
})

test('the party that fills its own queue is refused, and no other', async () => {
  const turns = turnsOf({ atOnceMax: 1, waitingMax: 8 })
  const { ask } = steps(turns)
  void ask('a', 3)
  expect(await refused(ask('a', 1))).toBe(true)
  expect(await refused(ask('b', 2))).toBe(false)
  for (const party of ['c', 'd']) expect(await refused(ask(party, 2))).toBe(false)
  // The whole queue is full: each may still have one that waits.
  expect(turns.waiting).toBe(8)
  expect(await refused(ask('e', 1))).toBe(false)
  expect(await refused(ask('e', 1))).toBe(true)
})

test('kinds of one party take turns, and one of which little waits may always join', async () => {
  const turns = turnsOf({ atOnceMax: 1, waitingMax: 40 })
  const end = Promise.withResolvers<void>()
  const begun: string[] = []
  const ask = (kind: string) => turns.run('one', async () => void begun.push(kind), { kind })
  const first = turns.run('one', () => end.promise, { kind: 'long' })
  const longs = Array.from({ length: 10 }, () => ask('long'))
  await expect(ask('long')).rejects.toThrow(Crowded)
  const shorts = [ask('short'), ask('short')]
  await expect(ask('short')).rejects.toThrow(Crowded)
  end.resolve()
  await Promise.all([first, ...longs, ...shorts])
  expect(begun.slice(0, 5)).toEqual(['short', 'long', 'short', 'long', 'long'])
})
