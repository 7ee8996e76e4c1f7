import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isId, newRecordId } from './ids.ts'

test('ids of records sort by their time, and within it as they were made, whatever other times came between', () => {
  const times = fc.array(fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_003 }), { minLength: 1 })
  fc.assert(
    fc.property(times, (instants) => {
      const ids = instants.map((now) => ({ id: newRecordId(now), now }))
      expect(ids.every(({ id }) => isId(id))).toBe(true)
      expect(ids.map(({ id }) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))).toEqual(instants)
      const sorted = ids.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      expect(sorted.map(({ now }) => now)).toEqual(instants.toSorted((a, b) => a - b))
      expect(new Set(ids.map(({ id }) => id)).size).toBe(ids.length)
    }),
  )
  const bulk = Array.from({ length: 10_000 }, () => newRecordId(1_800_000_000_000))
  expect(bulk).toEqual(bulk.toSorted())
})
