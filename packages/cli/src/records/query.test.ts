import { expect, test } from 'vitest'
import { parseFilters, parseFilterTree, parseSorts } from './query.ts'

test.each<[texts: string[], filters: unknown]>([
  [['name=Ann'], { name: 'Ann' }],
  [['name=a=b'], { name: 'a=b' }],
  [['name='], { name: '' }],
  [['amount[Greater than]=5', 'amount[lt]=9'], { amount: { 'Greater than': '5', lt: '9' } }],
  [['amount=5', 'amount[lt]=9'], { amount: { Is: '5', lt: '9' } }],
  [['name[Is empty]'], { name: { 'Is empty': '' } }],
  [['filter[name][Contains]=x[1]'], { name: { Contains: 'x[1]' } }],
  [['filter[name]=Ann'], { name: 'Ann' }],
])('filters %j', (texts, filters) => {
  expect(parseFilters(texts)).toEqual(filters)
})

test('a filter tree says the same', () => {
  expect(
    parseFilterTree(['name=Ann', 'amount[gt]=5', 'amount[lt]=9', 'stage[One of]=Won,Lost', 'owner[Is empty]']),
  ).toEqual({
    and: [
      { field: 'name', op: 'Is', value: 'Ann' },
      { field: 'amount', op: 'gt', value: '5' },
      { field: 'amount', op: 'lt', value: '9' },
      { field: 'stage', op: 'One of', value: ['Won', 'Lost'] },
      { field: 'owner', op: 'Is empty' },
    ],
  })
  expect(parseFilterTree()).toBeUndefined()
})

test.each([['name'], ['=x'], ['name[Is=x'], ['']])('%j is no filter', (text) => {
  expect(() => parseFilters([text])).toThrow(/is no condition/)
})

test('orders', () => {
  expect(parseSorts(['name', 'amount:DESC,stage:asc'])).toEqual([
    { column: 'name', dir: 'ASC' },
    { column: 'amount', dir: 'DESC' },
    { column: 'stage', dir: 'ASC' },
  ])
  expect(parseSorts()).toBeUndefined()
})
