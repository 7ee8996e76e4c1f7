import { expect, test } from 'vitest'
import { scopesOf } from './oauth-client.ts'

test('scopes are given with spaces or commas between, or by the option once more', () => {
  expect(['records:read,keys:write', 'lists:read', 'a, b'].reduce(scopesOfNext, undefined)).toEqual([
    'records:read',
    'keys:write',
    'lists:read',
    'a',
    'b',
  ])
})

test.for(['', ',', ' '])('none at all (%j) is a mistake, and not an app that only signs people in', (word) => {
  expect(() => scopesOf(word)).toThrow('names no scope')
})

/** As the library calls it: first with no value before. */
const scopesOfNext = (before: readonly string[] | undefined, word: string): readonly string[] => scopesOf(word, before)
