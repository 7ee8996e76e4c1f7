import { callsPerMinute } from '@kontor/contract'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test('calls are limited as the document says, where the operator has set nothing else', () => {
  expect(readConfig({}).rateLimitPerMinute).toBe(callsPerMinute)
})
