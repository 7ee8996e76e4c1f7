import { expect, test } from 'vitest'
import { queryString } from './query-string.ts'

test('spells what the API reads', () => {
  const query = {
    page: { limit: 5 },
    sortOrder: [{ column: 'name', dir: 'ASC' }],
    filter: { name: 'a&b c', amount: { 'Greater than': 5 } },
    include: ['deals', 'tasks'],
    dry_run: true,
    absent: undefined,
  }
  expect(decodeURIComponent(queryString(query))).toBe(
    '?page[limit]=5&sortOrder[0][column]=name&sortOrder[0][dir]=ASC&filter[name]=a&b ' +
      'c&filter[amount][Greater than]=5&include=deals,tasks&dry_run=true',
  )
  expect(queryString({ filter: { name: 'a&b c' } })).toBe('?filter%5Bname%5D=a%26b%20c')
  const many = {
    filter: { stage: ['a,b', 'c'], size: { in: [1, 2] }, kind: { 'One of': ['a,b'] }, note: null, none: [] },
  }
  expect(decodeURIComponent(queryString(many))).toBe(
    '?filter[stage][]=a,b&filter[stage][]=c&filter[size][in]=1,2&filter[kind][One of][]=a,b' +
      '&filter[note][is_null]=&filter[none]=',
  )
  expect(queryString({})).toBe('')
})
