import { expect, test } from 'vitest'
import { statsOf } from './stats.ts'

const ended = (state: 'succeeded' | 'failed', duration_ms: number | null) => ({ state, duration_ms })

test('says how many arrived, and how long the slower ones took', () => {
  const quick = Array.from({ length: 19 }, (_, index) => ended('succeeded', index + 1))
  expect(statsOf([ended('failed', 900), ...quick])).toEqual({
    deliveries: 20,
    succeeded: 19,
    failed: 1,
    success_rate: 0.95,
    duration_p50_ms: 10,
    duration_p95_ms: 19,
  })
})

test('says nothing of what was never tried', () => {
  const none = { success_rate: null, duration_p50_ms: null, duration_p95_ms: null }
  expect(statsOf([])).toEqual({ deliveries: 0, succeeded: 0, failed: 0, ...none })
  expect(statsOf([ended('failed', null)])).toMatchObject({ failed: 1, success_rate: 0, duration_p95_ms: null })
})
