import { expect, test } from 'vitest'
import { jsonInPortions } from './json-in-portions.ts'

const long = Array.from({ length: 600 }, (_, index) => (index % 3 === 0 ? undefined : { index, at: new Date(index) }))

test.each([
  [{ data: long, meta: { diff: long, total: 600, nothing: undefined }, included: [] }],
  [{ data: { type: 'a"b', attributes: { long } }, 'a"b': long }],
  [{ data: [1, null, undefined], meta: undefined, links: null }],
  [{ data: { deep: { deeper: { long } } } }],
  [long],
  [{ toJSON: () => long }],
])('writes what JSON.stringify writes (%#)', async (value) => {
  expect(await jsonInPortions(value)).toBe(JSON.stringify(value))
})
