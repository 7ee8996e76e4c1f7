import { expect, test } from 'vitest'
import { inPieces, joined } from './pieces.ts'

test('a long list is read in pieces, between which other work has its turn', async () => {
  const items = Array.from({ length: 12_000 }, (_, id) => ({ id }))
  const pieces = inPieces(items)
  expect(pieces).toHaveLength(3)
  let turns = 0
  let isReading = true
  const count = () => {
    turns++
    if (isReading) setImmediate(count)
  }
  setImmediate(count)
  expect(await joined(pieces)).toEqual(items)
  isReading = false
  expect(turns).toBeGreaterThanOrEqual(2)
})

test('items that weigh more make smaller pieces, and nothing makes none', async () => {
  const items = ['a', 'b', 'c']
  const pieces = inPieces(items, (item) => (item === 'b' ? 5000 : 1))
  expect(await Promise.all(pieces.map((piece) => joined([piece])))).toEqual([['a', 'b'], ['c']])
  expect(await joined(inPieces([]))).toEqual([])
})
