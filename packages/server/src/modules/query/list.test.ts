import { expect, test } from 'vitest'
import { agreedTotal } from './list.ts'

const page = (offset: number, count: number, after: boolean) => ({
  query: { offset, position: undefined },
  edges: { count, before: offset > 0, after },
})

test.for([
  ['an empty list has no records, whatever was counted a moment later', 1, page(0, 0, false), 0],
  ['the only page has all records', 0, page(0, 2, false), 2],
  ['the last page ends the list', 9, page(4, 2, false), 6],
  ['a page beyond the end says no more than that', 9, page(4, 0, false), 4],
  ['a page beyond the end keeps a smaller total', 3, page(4, 0, false), 3],
  ['a page with others behind it counts at least one of them', 2, page(0, 2, true), 3],
  ['a page with others behind it keeps what was counted', 7, page(0, 2, true), 7],
] as const)('%s', ([, total, { query, edges }, agreed]) => {
  expect(agreedTotal(total, query, edges)).toBe(agreed)
  expect(agreedTotal(undefined, query, edges)).toBeUndefined()
})

test('a page at a cursor counts what is on it and on both sides', () => {
  const position = { at: { values: [], id: 'a' }, direction: 'after' as const }
  const edges = { count: 2, before: true, after: true }
  expect(agreedTotal(1, { offset: 0, position }, edges)).toBe(4)
  expect(agreedTotal(9, { offset: 0, position }, edges)).toBe(9)
})
