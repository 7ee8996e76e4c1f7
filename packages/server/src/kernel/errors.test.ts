import { expect, test } from 'vitest'
import { failure } from './errors.ts'

test('what a caller sent is repeated in short, and never cut within a character', () => {
  const long = `x${'🦊'.repeat(5000)}`
  const failed = failure('invalid_body', `There is no "${long}".`, { source: { pointer: `/${long}` } })
  const [error] = failed.toBody('r1').errors
  for (const text of [failed.message, error?.detail, error?.source?.pointer]) {
    expect(text?.length).toBeLessThan(1010)
    expect(text?.isWellFormed()).toBe(true)
    expect(text).toContain('🦊')
  }
  expect(failure('invalid_body', 'Half of one: \uD83E').toBody('r1').errors[0]?.detail).toBe('Half of one: \uFFFD')
})
