import type { Operator } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import { likeEscape } from '../../../db/expressions.ts'
import { fold } from '../../../db/fold.ts'

type Simple = Extract<Operator, 'Is' | 'Contains' | 'Starts with' | 'Ends with'>

/**
 * The meaning of a LIKE: an operator and its text, `anything` if every text matches, or a pattern for `Like`, with the
 * text that it begins with.
 */
export type LikePattern =
  | { readonly op: Simple; readonly text: string; readonly pattern: string }
  | { readonly op: 'Like'; readonly pattern: string; readonly beginning: string }
  | 'anything'

/** Parses the pattern of a LIKE; undefined if it ends in a backslash that escapes nothing. */
export function patternOf(given: string): LikePattern | undefined {
  const signs = signsOf(given)
  if (signs === undefined) return undefined
  const first = signs.findIndex(({ wild }) => !wild)
  const last = signs.findLastIndex(({ wild }) => !wild)
  const [before, inner, after] =
    first === -1 ? [signs, [], []] : [signs.slice(0, first), signs.slice(first, last + 1), signs.slice(last + 1)]
  const isSimple = ![...before, ...after].some(isOne) && !inner.some(({ wild }) => wild)
  if (!isSimple)
    return {
      op: 'Like',
      pattern: normalised(signs),
      beginning: textOf(
        signs.slice(
          0,
          signs.findIndex(({ wild }) => wild),
        ),
      ),
    }
  if (signs.length > 0 && inner.length === 0) return 'anything'
  const op = before.length > 0 ? (after.length > 0 ? 'Contains' : 'Ends with') : after.length > 0 ? 'Starts with' : 'Is'
  return { op, text: textOf(inner), pattern: normalised(signs) }
}

/**
 * Tells whether a text matches a LIKE, regardless of case; undefined if the pattern ends in a backslash that escapes
 * nothing.
 */
export function isLike(text: string, given: string): boolean | undefined {
  const signs = signsOf(given)?.flatMap((one) =>
    one.wild ? [one] : Array.from(fold(one.sign), (sign) => ({ sign, wild: false })),
  )
  return signs && matches([...fold(text)], signs)
}

/**
 * Matches by backtracking to the last % alone: the part before it matches as early as possible, and so leaves most to
 * the part after it.
 */
function matches(text: readonly string[], signs: readonly Sign[]): boolean {
  let [at, from, wild, resume] = [0, 0, -1, 0]
  while (at < text.length) {
    const sign = signs[from]
    if (sign !== undefined && (isOne(sign) || (!sign.wild && sign.sign === text[at]))) [at, from] = [at + 1, from + 1]
    else if (sign !== undefined && sign.wild) [wild, resume, from] = [from, at, from + 1]
    else if (wild !== -1) [resume, at, from] = [resume + 1, resume + 1, wild + 1]
    else return false
  }
  return signs.slice(from).every(({ sign, wild: isWild }) => isWild && sign === '%')
}

type Sign = { readonly sign: string; readonly wild: boolean }

/** Tells whether a sign stands for exactly one character. */
const isOne = ({ sign, wild }: Sign): boolean => wild && sign === '_'

const textOf = (signs: readonly Sign[]): string => signs.map(({ sign }) => sign).join('')

/**
 * Normalises a pattern for texts that are compared folded. The text between two wildcards is folded as a whole, as a
 * value is.
 */
function normalised(signs: readonly Sign[]): string {
  const parts: string[] = []
  let run = ''
  for (const { sign, wild } of [...signs, { sign: '', wild: true }]) {
    if (!wild) run += sign
    else {
      parts.push(fold(run).replaceAll(/[%_!]/g, `${likeEscape}$&`), sign)
      run = ''
    }
  }
  return parts.join('')
}

function signsOf(given: string): Sign[] | undefined {
  const signs: Sign[] = []
  const all = [...given]
  for (let index = 0; index < all.length; index++) {
    const sign = defined(all[index])
    if (sign !== '\\') signs.push({ sign, wild: sign === '%' || sign === '_' })
    else if (++index < all.length) signs.push({ sign: defined(all[index]), wild: false })
    else return undefined
  }
  return signs
}
