import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gramsOf, unknownGram } from './grams.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 30 })

test('a text has all groups of whatever it contains', () => {
  fc.assert(
    fc.property(text, text, text, (before, part, after) => {
      const all = new Set(gramsOf('w:person.name', before + part + after))
      expect(gramsOf('w:person.name', part).every((gram) => all.has(gram))).toBe(true)
    }),
  )
})

test('groups are whole numbers that fit into 31 bits, one for each three characters', () => {
  expect(gramsOf('w:f', 'ab')).toEqual([])
  expect(gramsOf('w:f', 'abc')).toHaveLength(1)
  expect(gramsOf('w:f', '🦊🦊🦊🦊')).toHaveLength(1)
  expect(gramsOf('w:f', 'abcabc')).toHaveLength(3)
  for (const gram of gramsOf('w:f', 'The quick brown fox')) expect(gram).toBe(gram & 0x7fffffff)
})

test('another field has other groups', () => {
  const own = new Set([...gramsOf('w:person.name', 'lovelace'), unknownGram('w:person.name')])
  const others = [
    ...gramsOf('w:company.name', 'lovelace'),
    ...gramsOf('v:person.name', 'lovelace'),
    unknownGram('v:person.name'),
  ]
  expect(others.filter((gram) => own.has(gram))).toEqual([])
})
