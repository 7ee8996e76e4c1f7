import { expect, test } from 'vitest'
import type { RecordResource } from '@kontor/contract'
import { Tally } from './tally.ts'

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()

const record = (id: string, created: number, updated: number, name = id): RecordResource => ({
  type: 'person',
  id,
  attributes: { _id: id, _created_at: at(created), _created_by: null, _updated_at: at(updated), _updated_by: null, name },
  relationships: {},
})

const counts = (records: RecordResource[][]): unknown => {
  const tally = new Tally()
  tally.learnTime([record('first', 9, 9)])
  for (const some of records) tally.count(some)
  return tally.counts
}

test('what is newer than all before was created or updated, the rest was left alone', () => {
  expect(counts([[record('a', 10, 10), record('b', 3, 10), record('c', 3, 3), record('d', 3, 8)]])).toEqual({ created: 1, updated: 1, unchanged: 2, rejected: 0 })
})

test('a record that comes again was created once', () => {
  const again = [record('a', 10, 10), record('a', 10, 10), record('a', 10, 10, 'other')]
  expect(counts([again])).toEqual({ created: 1, updated: 1, unchanged: 1, rejected: 0 })
  expect(counts([[record('a', 10, 10)], [record('b', 11, 11), record('a', 10, 10)]])).toEqual({ created: 2, updated: 0, unchanged: 1, rejected: 0 })
  expect(counts([[record('a', 10, 10)], [record('a', 10, 12)]])).toEqual({ created: 1, updated: 1, unchanged: 0, rejected: 0 })
})
