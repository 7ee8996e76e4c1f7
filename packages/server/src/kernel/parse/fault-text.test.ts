import { expect, test } from 'vitest'
import { z } from 'zod'
import { anyOf, faultText } from './fault-text.ts'

const textOf = (schema: z.ZodType, value: unknown): string | undefined =>
  schema.safeParse(value, { error: faultText }).error?.issues[0]?.message

test.for<[z.ZodType, unknown, string]>([
  [z.object({ a: z.string() }), {}, 'Is missing; must be a string.'],
  [z.object({ a: z.literal('x') }), {}, 'Is missing; must be "x".'],
  [z.string(), 5, 'Must be a string.'],
  [z.int(), 'x', 'Must be a whole number.'],
  [z.int(), 1.5, 'Must be a whole number.'],
  [z.number(), null, 'Must be a number.'],
  [z.boolean(), 'yes', 'Must be true or false.'],
  [z.record(z.string(), z.string()), [], 'Must be an object.'],
  [z.array(z.string()), {}, 'Must be an array.'],
  [z.string().min(1), '', 'Must not be empty.'],
  [z.string().min(2), 'x', 'Must have at least 2 characters.'],
  [z.string().max(2), 'xxx', 'Must have at most 2 characters.'],
  [z.array(z.int()).min(1), [], 'Must have at least one item.'],
  [z.array(z.int()).max(2), [1, 2, 3], 'Must have at most 2 items.'],
  [z.int().min(1), 0, 'Must be at least 1.'],
  [z.number().gt(0), 0, 'Must be greater than 0.'],
  [z.int().max(500), 501, 'Must be at most 500.'],
  [z.int(), 1e300, `Must be at most ${Number.MAX_SAFE_INTEGER}.`],
  [z.enum(['ASC', 'DESC']), 'desc', 'Must be one of "ASC", "DESC". Did you mean "DESC"?'],
  [z.literal('workspace'), 'person', 'Must be "workspace".'],
  [z.iso.datetime(), 'x', 'Must be an ISO 8601 timestamp in UTC, for example 2026-01-31T09:30:00.000Z.'],
  [z.record(z.string().max(2), z.int()), { abc: 1 }, 'As a name: Must have at most 2 characters.'],
  [z.string().regex(/x/, 'not an x'), 'y', 'not an x'],
  [
    z.discriminatedUnion('type', [z.object({ type: z.literal('a') }), z.object({ type: z.literal('b') })]),
    {},
    'Is missing; must be one of "a", "b".',
  ],
  [z.discriminatedUnion('type', [z.object({ type: z.literal('deal') })]), { type: 'dael' }, 'Must be "deal".'],
  [z.strictObject({ object: z.string().optional() }), { objct: 'x' }, 'Did you mean "object"?'],
  [z.number().multipleOf(5), 3, 'Must be a multiple of 5.'],
])('%#: %s of %j', ([schema, value, expected]) => {
  expect(textOf(schema, value)).toBe(expected)
})

test('kinds are told once each', () => {
  expect(anyOf(['object', 'record', 'null'])).toBe('an object or null')
  expect(anyOf(['string', 'number', 'array'])).toBe('a string, a number or an array')
})
