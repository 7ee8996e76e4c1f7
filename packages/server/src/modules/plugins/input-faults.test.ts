import { expect, test } from 'vitest'
import { z } from 'zod'
import { inputFaultsOf } from './input-faults.ts'

test('a union that goes by one member tells its values, at the place of that member', () => {
  const one = z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text') }),
    z.strictObject({ type: z.literal('link') }),
  ])
  const [fault] = inputFaultsOf(z.strictObject({ part: one }), { part: { type: 'lnik' } })
  expect(fault?.path).toEqual(['part', 'type'])
  expect(fault?.detail).toMatch(/^Must be one of "text", "link"\./)
})
