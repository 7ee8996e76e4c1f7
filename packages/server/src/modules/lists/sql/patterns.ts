import type { Operator } from '@kontor/contract'

/** What a LIKE asks: an operator and the text that it takes; `anything` where every text fits. */
export type Pattern = { readonly op: Extract<Operator, 'Is' | 'Contains' | 'Starts with' | 'Ends with'>; readonly text: string } | 'anything'

/** The pattern of a LIKE, which has % at its ends alone; undefined for any other. A backslash takes the meaning from what follows. */
export function patternOf(given: string): Pattern | undefined {
  const signs = signsOf(given)
  if (signs === undefined) return undefined
  const first = signs.findIndex(({ wild }) => !wild)
  if (first === -1) return signs.length === 0 ? { op: 'Is', text: '' } : 'anything'
  const last = signs.findLastIndex(({ wild }) => !wild)
  const inner = signs.slice(first, last + 1)
  if (inner.some(({ wild }) => wild)) return undefined
  const text = inner.map(({ sign }) => sign).join('')
  const [before, after] = [first > 0, last < signs.length - 1]
  return { op: before && after ? 'Contains' : before ? 'Ends with' : after ? 'Starts with' : 'Is', text }
}

type Sign = { readonly sign: string; readonly wild: boolean }

function signsOf(given: string): Sign[] | undefined {
  const signs: Sign[] = []
  const all = [...given]
  for (let index = 0; index < all.length; index++) {
    const sign = all[index] as string
    if (sign === '_') return undefined
    if (sign !== '\\') signs.push({ sign, wild: sign === '%' })
    else if (++index < all.length) signs.push({ sign: all[index] as string, wild: false })
    else return undefined
  }
  return signs
}
