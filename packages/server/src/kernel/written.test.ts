import { expect, test } from 'vitest'
import { jsonOf, Written } from './written.ts'

class Part extends Written {
  readonly name: string
  readonly more: unknown

  constructor(name: string, more: unknown = null) {
    super()
    this.name = name
    this.more = more
  }
}

const part = new Part('"a" \\ é \u2028 $& $1', [1, { b: null }])

test.for<unknown>([
  {},
  null,
  'text',
  [],
  { a: [1, '"', { b: 'c' }] },
  part,
  [part],
  [part, part, part],
  { data: [{ one: part, other: new Part('z') }], included: [part, new Part('y', { deep: [true] })], after: '""' },
])('writes what JSON.stringify writes: %j', (value) => {
  const plain = JSON.stringify(value)
  for (let time = 0; time < 3; time++) expect(jsonOf(value)).toBe(plain)
  expect(JSON.stringify(value)).toBe(plain)
})

test('writes a part once', () => {
  let written = 0
  const counted = new Part('counted', { toJSON: () => ++written })
  for (let time = 0; time < 3; time++) expect(jsonOf([counted, counted])).toBe('[{"name":"counted","more":1},{"name":"counted","more":1}]')
})

test('what cannot be written leaves nothing behind', () => {
  expect(() => jsonOf([part, 1n])).toThrow(TypeError)
  expect(JSON.stringify(part)).toBe(jsonOf(part))
})
