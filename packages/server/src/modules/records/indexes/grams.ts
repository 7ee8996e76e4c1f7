/** Characters in a group: shorter texts are in too many records to be worth looking up. */
export const gramLength = 3

const prime = 0x01000193

/** FNV-1a (draft-eastlake-fnv) over code points, and a last mixing, since the last of them has hardly reached the upper bits. */
function hashOf(seed: number, points: readonly number[], from: number, until: number): number {
  let hash = seed
  for (let index = from; index < until; index++) hash = Math.imul(hash ^ (points[index] as number), prime)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  // Without a sign, which a tokeniser would drop.
  return (hash ^ (hash >>> 12)) >>> 1
}

const pointsOf = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0) as number)

function seedOf(scope: string): number {
  const points = pointsOf(scope)
  return hashOf(0x811c9dc5, points, 0, points.length)
}

/** Stands for a text of which nothing is known but that it is there: whoever searches looks at its record too. */
export const unknownGram = (scope: string): number => hashOf(seedOf(scope), [], 0, 0)

/**
 * All groups of three characters in a folded text, each as a number that is made of the scope too, so that those of other
 * fields and workspaces are other entries of the index. Two groups may share a number: what is found is looked at again.
 */
export function gramsOf(scope: string, text: string): number[] {
  const points = pointsOf(text)
  const seed = seedOf(scope)
  const grams = new Set<number>()
  for (let index = 0; index + gramLength <= points.length; index++)
    grams.add(hashOf(seed, points, index, index + gramLength))
  return [...grams]
}

/** One group of any length as a number, in the same way. */
export function gramHash(scope: string): (group: string) => number {
  const seed = seedOf(scope)
  return (group) => {
    const points = pointsOf(group)
    return hashOf(seed, points, 0, points.length)
  }
}
