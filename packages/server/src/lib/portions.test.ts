import { expect, test } from 'vitest'
import { inPortions, weightOf } from './portions.ts'

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
