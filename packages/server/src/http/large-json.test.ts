import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readLargeJson } from './large-json.ts'

const mark = (numeral: string): string => JSON.stringify(`<${numeral}>`)
const read = (text: string): Promise<unknown> => readLargeJson(text, mark)

/** Spaces that make a body so long that it is read in parts. */
const long = ' '.repeat(2 ** 19)
const items = Array.from({ length: 4000 }, (_, index) => ({
  index,
  text: `"],[{\\${'x'.repeat(200)}`,
  list: [[], {}],
}))

test('a large body is read as a small one', async () => {
  const body = { meta: { a: 1 }, data: items, empty: [], none: null, more: [[1], 'two'] }
  const text = JSON.stringify(body, null, 2)
  expect(text.length).toBeGreaterThan(2 ** 20)
  expect(await read(text)).toEqual(body)
})

test('whatever members a body has, and however often', async () => {
  const rows = fc.json({ maxDepth: 3 })
  const members = fc.array(fc.tuple(fc.constantFrom('data', 'other', '__proto__', ''), rows), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(members, fc.constantFrom('', ',', ']', '}', '"', ' x'), async (some, more) => {
      const spelled = some.map(([name, value]) => `${JSON.stringify(name)}:${value}`)
      const text = `{"first":[1,${long}2],${spelled.map((one) => `${one},`).join('')}"last":[[${long}]]}${more}`
      const expected = await Promise.resolve()
        .then(() => JSON.parse(text))
        .catch(() => 'malformed')
      expect(await read(text).catch(() => 'malformed')).toEqual(expected)
    }),
    { numRuns: 40 },
  )
})

/** Items of a list that is longer than one portion, and with a comma behind the last. */
const manyItems = '0,'.repeat(600_000)

test.each([
  ['{"data":[', ']}'],
  ['{"data":[,', '1]}'],
  ['{"data":[1 ', '1]}'],
  ['{"data":[', '1}]'],
  ['{"data":[', '1'],
  ['{"data":[', '1]}x'],
  ['{"data":[x],"data":[', '1]}'],
])('%s … %s is malformed', async (before, after) => {
  await expect(read(before + manyItems + after)).rejects.toThrow(/JSON|brackets/)
})

test('a list that ends in a comma between two portions is malformed', async () => {
  const itemsOfTenPortions = 10 * 2 ** 16 + 1
  await expect(read(`{"data":[${'1,'.repeat(itemsOfTenPortions)}]}`)).rejects.toThrow('comma')
})

test('numbers that would change are marked wherever they are', async () => {
  const text = `{"a":1e400,"data":[${'"x",'.repeat(300_000)}12345678901234567890]}`
  const { a, data } = (await read(text)) as { a: unknown; data: unknown[] }
  expect([a, data.length, data.at(-1)]).toEqual(['<1e400>', 300_001, '<12345678901234567890>'])
})

test.each([
  ['deep values', '['.repeat(100_000) + ']'.repeat(100_000), 'nested'],
  ['many members', `{${Array.from({ length: 10_001 }, (_, index) => `"k${index}":1`).join()}}`, '10000 members'],
  ['many values', `{"data":[${'{},'.repeat(1_000_000)}{}]}`, '1000000 values'],
  ['a long list without a name', `[${'1,'.repeat(600_000)}1]`, 'object with lists'],
  ['a long item', `{"data":["${'x'.repeat(2 ** 20)}"]}`, '1048576 characters'],
  ['a large item', `{"data":[[${'1,'.repeat(300_000)}1],"${'x'.repeat(600_000)}"]}`, 'object with lists'],
])('%s: refused', async (_what, text, detail) => {
  await expect(read(text)).rejects.toThrow(detail)
})
