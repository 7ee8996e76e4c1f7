import { expect, test } from 'vitest'
import { LeaseWatch } from './lease-watch.ts'

const lease = (attempt: number, leasedAt: number) => ({ key: 'job', attempt, leasedAt, leaseMs: 100 })

test('a lease is lost once it has stood unchanged before our eyes for longer than it holds', () => {
  const watch = new LeaseWatch()
  // When it was taken, by whichever clock, does not matter.
  expect(watch.look([lease(1, -1_000_000)], 0)).toEqual([])
  expect(watch.look([lease(1, -1_000_000)], 100)).toEqual([])
  expect(watch.look([lease(1, -1_000_000)], 101)).toEqual([lease(1, -1_000_000)])
})

test('one that changes or goes is looked at anew', () => {
  const watch = new LeaseWatch()
  watch.look([lease(1, 5)], 0)
  expect(watch.look([lease(1, 4)], 150)).toEqual([])
  expect(watch.look([lease(2, 4)], 300)).toEqual([])
  expect(watch.look([], 450)).toEqual([])
  expect(watch.look([lease(2, 4)], 600)).toEqual([])
  expect(watch.look([lease(2, 4)], 701)).toHaveLength(1)
})

test('while this process stood still itself, it has watched for two seconds at most', () => {
  const watch = new LeaseWatch()
  const long = { ...lease(1, 5), leaseMs: 4000 }
  watch.look([long], 0)
  expect(watch.look([long], 60_000)).toEqual([])
  expect(watch.look([long], 61_000)).toEqual([])
  expect(watch.look([long], 62_000)).toEqual([])
  expect(watch.look([long], 62_001)).toEqual([long])
})
