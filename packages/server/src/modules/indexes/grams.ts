import { defined } from '../../lib/guards.ts'

/** Characters in a trigram: shorter texts occur in too many records to be worth looking up. */
export const gramLength = 3

const prime = 0x01000193

/**
 * FNV-1a (draft-eastlake-fnv) over code points, with a final mixing step, because the last code point hardly reaches
 * the upper bits.
 */
function hashOf(seed: number, points: readonly number[], from: number, until: number): number {
  let hash = seed
  for (let index = from; index < until; index++) hash = Math.imul(hash ^ defined(points[index]), prime)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  // Unsigned, because a tokeniser would drop the sign.
  return (hash ^ (hash >>> 12)) >>> 1
}

const pointsOf = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0) ?? 0)

function seedOf(scope: string): number {
  const points = pointsOf(scope)
  return hashOf(0x811c9dc5, points, 0, points.length)
}

/** Entry for a text that is not stored in the index: a search checks the record itself. */
export const unknownGram = (scope: string): number => hashOf(seedOf(scope), [], 0, 0)

/**
 * The trigrams of a folded text, each as a number that also depends on the scope, so that other fields and workspaces
 * have other entries in the index. Two trigrams may share a number: matches are rechecked.
 */
export function gramsOf(scope: string, text: string): number[] {
  const points = pointsOf(text)
  const seed = seedOf(scope)
  const grams = new Set<number>()
  for (let index = 0; index + gramLength <= points.length; index++)
    grams.add(hashOf(seed, points, index, index + gramLength))
  return [...grams]
}

/** Hashes a group of any length in the same way. */
export function gramHash(scope: string): (group: string) => number {
  const seed = seedOf(scope)
  return (group) => {
    const points = pointsOf(group)
    return hashOf(seed, points, 0, points.length)
  }
}
