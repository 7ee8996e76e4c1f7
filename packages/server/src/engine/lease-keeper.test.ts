import { expect, test } from 'vitest'
import { LeaseWatch } from './lease-keeper.ts'

const lease = (attempt: number, leasedAt: number) => ({ key: 'job', attempt, leasedAt, leaseMs: 100, notedMs: 0 })

const lostOf = (watch: LeaseWatch, ...asked: Parameters<LeaseWatch['look']>) => watch.look(...asked).lost

test('a lease is lost once it has stood unchanged before our eyes for longer than it holds', () => {
  const watch = new LeaseWatch()
  // When it was taken, by whichever clock, does not matter.
  expect(lostOf(watch, [lease(1, -1_000_000)], 0)).toEqual([])
  expect(lostOf(watch, [lease(1, -1_000_000)], 100)).toEqual([])
  expect(lostOf(watch, [lease(1, -1_000_000)], 101)).toEqual([lease(1, -1_000_000)])
})

test('one that changes or goes is looked at anew', () => {
  const watch = new LeaseWatch()
  watch.look([lease(1, 5)], 0)
  expect(lostOf(watch, [lease(1, 4)], 150)).toEqual([])
  expect(lostOf(watch, [lease(2, 4)], 300)).toEqual([])
  expect(lostOf(watch, [], 450)).toEqual([])
  expect(lostOf(watch, [lease(2, 4)], 600)).toEqual([])
  expect(lostOf(watch, [lease(2, 4)], 701)).toHaveLength(1)
})

test('while this process stood still itself, it has watched for two seconds at most', () => {
  const watch = new LeaseWatch()
  const long = { ...lease(1, 5), leaseMs: 4000 }
  watch.look([long], 0)
  expect(lostOf(watch, [long], 60_000)).toEqual([])
  expect(lostOf(watch, [long], 61_000)).toEqual([])
  expect(lostOf(watch, [long], 62_000)).toEqual([])
  expect(lostOf(watch, [long], 62_001)).toEqual([long])
})

test('what is found is noted while it stands, and who comes later goes on from there', () => {
  const found = { ...lease(1, 5), leaseMs: 4000 }
  const first = new LeaseWatch()
  expect(first.look([found], 7000)).toMatchObject({ lost: [], toNote: [], isAnyFound: true })
  expect(first.look([found], 7200).toNote).toEqual([])
  expect(first.look([found], 7300).toNote).toEqual([{ lease: found, watchedMs: 300 }])
  expect(first.look([found], 7500).toNote).toEqual([])
  const noted = { ...found, notedMs: 3900 }
  const second = new LeaseWatch()
  expect(second.look([noted], 100).lost).toEqual([])
  expect(second.look([noted], 300).lost).toEqual([noted])
})

test('a lease that is renewed, or taken while this process lives, is not noted', () => {
  const watch = new LeaseWatch()
  watch.look([lease(1, 5)], 0)
  expect(watch.look([lease(1, 6)], 50)).toMatchObject({ isAnyFound: false })
  expect(watch.look([{ ...lease(1, 6), leaseMs: 4000 }], 1000).toNote).toEqual([])
})
