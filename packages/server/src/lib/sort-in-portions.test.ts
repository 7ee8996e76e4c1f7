import { expect, test } from 'vitest'
import { sortInPortions } from './sort-in-portions.ts'

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
