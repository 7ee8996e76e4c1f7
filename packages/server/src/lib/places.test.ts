import { expect, test } from 'vitest'
import { Places } from './places.ts'

/** Tasks that end when they are told to. */
function tasks(places: Places) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const add = (name: string, signal?: AbortSignal) =>
    places.run(async () => {
      begun.push(name)
      await new Promise<void>((resolve) => void ends.set(name, resolve))
      return name
    }, signal)
  return { begun, add, end: (name: string) => ends.get(name)?.() }
}

test('runs only so many tasks at once, in the order in which they came', async () => {
  const { begun, add, end } = tasks(new Places(2))
  const all = ['a', 'b', 'c', 'd'].map((name) => add(name))
  expect(begun).toEqual(['a', 'b'])
  end('b')
  expect(await all[1]).toBe('b')
  expect(begun).toEqual(['a', 'b', 'c'])
  end('a')
  end('c')
  await Promise.all([all[0], all[2]])
  end('d')
  expect(await all[3]).toBe('d')
})

test('a task that fails leaves its place to the next', async () => {
  const places = new Places(1)
  const { begun, add, end } = tasks(places)
  const failing = places.run(() => Promise.reject(new Error('no')))
  const next = add('next')
  await expect(failing).rejects.toThrow('no')
  end('next')
  expect(await next).toBe('next')
  expect(begun).toEqual(['next'])
})

test('a task that is aborted while it waits stops waiting at once, and takes no turn', async () => {
  const places = new Places(1)
  const { begun, add, end } = tasks(places)
  const first = add('first')
  const stop = new AbortController()
  const [aborted, next] = [add('aborted', stop.signal), add('next')]
  stop.abort(new Error('stopped'))
  await expect(aborted).rejects.toThrow('stopped')
  await expect(add('late', stop.signal)).rejects.toThrow('stopped')
  expect(begun).toEqual(['first'])
  end('first')
  await first
  end('next')
  expect(await next).toBe('next')
  expect(begun).toEqual(['first', 'next'])
})
