import { expect, test } from 'vitest'
import { queuedMsOf } from './step.ts'

test('a step that is put off has waited since it was first begun, and before what failed', () => {
  expect(queuedMsOf({ step: 0, failures: 0 }, 1000)).toBe(0)
  expect(queuedMsOf({ step: 0, failures: 0, queuedSince: 400 }, 1000)).toBe(600)
  expect(queuedMsOf({ step: 0, failures: 1, queuedMs: 50, queuedSince: 400 }, 1000)).toBe(650)
})
