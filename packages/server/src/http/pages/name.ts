import { trimInvisible } from '@kontor/contract'

const nameMax = 200

/** Returns the fault of the name of a person. */
export function nameFault(given: string): string | undefined {
  const name = trimInvisible(given)
  if (name === '') return 'Enter your name.'
  if ([...name].length > nameMax) return `Use at most ${nameMax} characters.`
  return /\p{Cc}/u.test(name) ? 'Use no control characters.' : undefined
}
