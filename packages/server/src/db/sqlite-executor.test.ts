import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { SqlitePortions, type Steps } from './sqlite-executor.ts'

/** Portions on a clock that each step turns on by as much as a portion may take. */
function portionsWith(seen: string[]) {
  let now = 0
  const portions = new SqlitePortions(() => now)
  function* steps(name: string, count: number): Steps<string> {
    for (let step = 0; step < count; step++) {
      now += 11
      seen.push(`${name}${step}`)
      yield
    }
    return name
  }
  return { portions, run: async (name: string, count: number) => portions.run(() => steps(name, count)) }
}

test('runs what is short at once', async () => {
  const seen: string[] = []
  const { run } = portionsWith(seen)
  const result = run('a', 1)
  expect(seen).toEqual(['a0'])
  expect(await result).toBe('a')
})

test('lets others have their turn between portions, and keeps the order of what was sent', async () => {
  const seen: string[] = []
  const { portions, run } = portionsWith(seen)
  const results = [run('a', 3), run('b', 1)]
  expect(seen).toEqual(['a0'])
  await nextTurn()
  seen.push('other')
  await portions.end()
  expect(seen.filter((one) => one !== 'other')).toEqual(['a0', 'a1', 'a2', 'b0'])
  expect(seen.indexOf('other')).toBeLessThan(3)
  expect(await Promise.all(results)).toEqual(['a', 'b'])
})

test('one that fails fails alone, and none goes on that is cancelled', async () => {
  const seen: string[] = []
  const { portions, run } = portionsWith(seen)
  const long = run('a', 2)
  const failing = portions.run((): Steps<string> => {
    throw new Error('no')
  })
  const next = run('b', 1)
  await expect(failing).rejects.toThrow('no')
  expect([await long, await next]).toEqual(['a', 'b'])
  const cancelled = run('c', 3)
  portions.cancel()
  await expect(cancelled).rejects.toThrow('The transaction has ended')
  expect(seen).toEqual(['a0', 'a1', 'b0', 'c0'])
})
