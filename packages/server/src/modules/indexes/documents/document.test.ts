import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gramsOfDocument, gramsOfTerms } from './grams.ts'
import { termsOf, wordsOf } from './document.ts'

const scope = { workspaceId: 'w', object: 'person' }

const text = fc.string({ unit: 'grapheme', maxLength: 30 })

test('a text is compared by its words, without case and accents', () => {
  expect(wordsOf("Zoë ÅNGSTRÖM-O'Brien, Łódź; Straße №5 İstanbul ΟΔΟΣ Ёлка")).toEqual([
    'zoe',
    'angstrom',
    'o',
    'brien',
    'lodz',
    'strasse',
    'no5',
    'istanbul',
    'οδοσ',
    'елка',
  ])
  expect(wordsOf('grace@example.com +1 (555) 01')).toEqual(['grace', 'example', 'com', '1', '555', '01'])
  expect(wordsOf('が か\u3099 สมชาย 🦊')).toEqual(['が', 'が', 'สมชาย', '🦊'])
  expect(wordsOf('%_-"\'\\ \u0301')).toEqual([])
})

test('words taken once more are the same', () => {
  fc.assert(
    fc.property(text, (given) => {
      expect(wordsOf(wordsOf(given).join(' '))).toEqual(wordsOf(given))
    }),
  )
})

test('short words are found at the beginnings of words, but in scripts without spaces', () => {
  expect(termsOf('g gr gra 田 田中 田a g')).toEqual([
    { text: 'g', atStart: true },
    { text: 'gr', atStart: true },
    { text: 'gra', atStart: false },
    { text: '田', atStart: false },
    { text: '田中', atStart: false },
    { text: '田a', atStart: true },
  ])
})

test('a document in which terms are found has all of their groups', () => {
  fc.assert(
    fc.property(fc.array(text), fc.nat(), fc.nat(), fc.integer({ min: 1, max: 5 }), (texts, which, start, length) => {
      const words = texts.flatMap(wordsOf)
      if (words.length === 0) return
      const word = Array.from(words[which % words.length] as string)
      const whole = termsOf(word.join(''))
      const part = termsOf(word.slice(start % word.length, (start % word.length) + length).join('')).filter(
        ({ text: own, atStart }) =>
          atStart ? words.some((one) => one.startsWith(own)) : words.some((one) => one.includes(own)),
      )
      const all = new Set(gramsOfDocument(scope, ` ${words.join(' ')} `))
      expect(gramsOfTerms(scope, [...whole, ...part]).filter((gram) => !all.has(gram))).toEqual([])
    }),
  )
})
