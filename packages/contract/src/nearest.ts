/** Letters to change, put in or leave out between two short texts (Levenshtein). */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      current.push(Math.min(substitution, (previous[j] as number) + 1, (current[j - 1] as number) + 1))
    }
    previous = current
  }
  return previous[b.length] as number
}

const tolerance = (length: number): number => Math.max(2, Math.floor(length / 3))

/**
 * The distance of a word from another, or Infinity. In names with parts, such as `record.updated`, each part must be
 * near, so that `deal.updated` is not taken for `list.updated`.
 */
function distance(typed: string, candidate: string): number {
  const [words, others] = [typed.split(/[.:]/), candidate.split(/[.:]/)]
  const whole = editDistance(typed, candidate)
  if (whole > tolerance(typed.length)) return Infinity
  if (words.length < 2 || words.length !== others.length) return whole
  const isNear = (word: string, index: number): boolean =>
    editDistance(word, others[index] ?? '') <= Math.max(1, Math.floor(word.length / 3))
  return words.every(isNear) ? whole : Infinity
}

/** Counts the letters that two short texts have in common, in the same order (longest common subsequence). */
function lettersInCommon(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, () => 0)
  for (const letter of a) {
    const current = [0]
    for (let j = 1; j <= b.length; j++)
      current.push(
        letter === b[j - 1]
          ? (previous[j - 1] as number) + 1
          : Math.max(previous[j] as number, current[j - 1] as number),
      )
    previous = current
  }
  return previous[b.length] as number
}

/**
 * The allowed word that a mistyped one most likely means, if any is near. Only the first 64 characters count. More than
 * half of the letters must be those of the word, and of two at the same distance the one with more of them is meant:
 * `fase` is two changes from `name` and from `phase`.
 */
function nearest(word: string, allowed: readonly string[]): string | undefined {
  const typed = word.slice(0, 64).toLowerCase()
  const ranked = allowed
    .map((candidate) => ({ candidate, letters: candidate.slice(0, 64).toLowerCase() }))
    .map(({ candidate, letters }) => ({ candidate, letters, cost: distance(typed, letters) }))
    .filter(({ cost }) => cost < Infinity)
    .map(({ candidate, letters, cost }) => ({ candidate, cost, common: lettersInCommon(typed, letters) }))
    .filter(({ common }) => common * 2 > typed.length)
    .toSorted((a, b) => a.cost - b.cost || b.common - a.common)[0]
  return ranked?.candidate
}

/** "… Did you mean x?" for an error's text, or nothing. */
export function suggestion(word: string, allowed: readonly string[]): string {
  const near = nearest(word, allowed)
  return near === undefined ? '' : ` Did you mean "${near}"?`
}

/** Names that a text lists; of more it gives the number. */
const listedMax = 12

/** " Did you mean x?", or where nothing is near, " Allowed: a, b, c and 9 more." */
export function suggestionOrAllowed(word: string, allowed: readonly string[]): string {
  const near = suggestion(word, allowed)
  if (near !== '' || allowed.length === 0) return near
  const more = allowed.length > listedMax ? ` and ${allowed.length - listedMax} more` : ''
  return ` Allowed: ${allowed.slice(0, listedMax).join(', ')}${more}.`
}
