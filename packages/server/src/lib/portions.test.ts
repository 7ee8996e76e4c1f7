import { expect, test } from 'vitest'
import { inPortions, jsonInPortions, nextTurn, sortInPortions, weightOf } from './portions.ts'

/** The sizes of the portions in which some items are worked on. */
async function sizes<T>(items: readonly T[], weigh?: (item: T) => number): Promise<number[]> {
  const starts: number[] = []
  await inPortions(items, async (some, start) => void starts.push(start + some.length), weigh)
  return starts.map((end, index) => end - (starts[index - 1] ?? 0))
}

test('items are worked on in portions, and large ones in smaller portions', async () => {
  expect(await sizes([])).toEqual([])
  expect(
    await sizes(
      Array.from({ length: 600 }, () => ({ name: 'Ada' })),
      weightOf,
    ),
  ).toEqual([250, 250, 100])
  expect(await sizes(Array.from({ length: 600 }, () => 'x'))).toEqual([250, 250, 100])
  const many = { phone_numbers: { items: Array.from({ length: 1000 }, () => '+1') } }
  expect(await sizes([many, many, many, many, { name: 'Ada' }], weightOf)).toEqual([3, 2])
  expect(await sizes(['x'.repeat(1_000_000), 'x'.repeat(1_000_000), 'x'], weightOf)).toEqual([1, 1, 1])
})

test('lets one of those that wait go on in each turn of the event loop, in the order in which they came', async () => {
  let turn = 0
  const count = (): void => void setImmediate(() => ((turn += 1) < 20 ? count() : undefined))
  count()
  const seen: [name: string, turn: number][] = []
  const work = async (name: string): Promise<void> => {
    for (let portion = 0; portion < 3; portion++) {
      await nextTurn()
      seen.push([name, turn])
    }
  }
  await Promise.all(['a', 'b', 'c'].map(work))
  expect(seen.map(([name]) => name).join('')).toBe('abcabcabc')
  expect(new Set(seen.map(([, when]) => when)).size).toBe(9)
})

const long = Array.from({ length: 600 }, (_, index) => (index % 3 === 0 ? undefined : { index, at: new Date(index) }))

test.each([
  [{ data: long, meta: { diff: long, total: 600, nothing: undefined }, included: [] }],
  [{ data: { type: 'a"b', attributes: { long } }, 'a"b': long }],
  [{ data: [1, null, undefined], meta: undefined, links: null }],
  [{ data: { deep: { deeper: { long } } } }],
  [long],
  [{ toJSON: () => long }],
])('writes what JSON.stringify writes (%#)', async (value) => {
  expect(await jsonInPortions(value)).toBe(JSON.stringify(value))
})

const compare = (one: number, other: number): number => one - other

test.each([0, 1, 5000, 5001, 10_001, 32_768])('sorts %d items as one sort does', async (length) => {
  const items = Array.from({ length }, (_, index) => (index * 7919) % 32_779)
  expect(await sortInPortions(items, compare)).toEqual(items.toSorted(compare))
})

test('keeps the order of equal items, and lets other work have its turn', async () => {
  const items = Array.from({ length: 40_000 }, (_, index) => ({ key: index % 3, index }))
  let turns = 0
  let isSorting = true
  const count = () => {
    turns++
    if (isSorting) setImmediate(count)
  }
  setImmediate(count)
  const sorted = await sortInPortions(items, (one, other) => one.key - other.key)
  isSorting = false
  expect(sorted).toEqual(items.toSorted((one, other) => one.key - other.key))
  expect(turns).toBeGreaterThanOrEqual(4)
})
