import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textPieces } from './texts.ts'

test('pieces are short enough, make up the text, and each is a text of its own', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.integer({ min: 2, max: 12 }), (text, charsMax) => {
      const pieces = [...textPieces(text, charsMax)]
      expect(pieces.join('')).toBe(text)
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(charsMax)
        expect(piece.length).toBeGreaterThan(0)
        expect(piece.isWellFormed()).toBe(true)
      }
    }),
  )
})
