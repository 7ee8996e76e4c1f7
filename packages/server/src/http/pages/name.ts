import { trimInvisible } from '@kontor/contract'

const nameMax = 200

/** What is wrong with the name of a person. */
export function nameFault(given: string): string | undefined {
  const name = trimInvisible(given)
  if (name === '') return 'Enter your name.'
  if ([...name].length > nameMax) return `Use at most ${nameMax} characters.`
  return /\p{Cc}/u.test(name) ? 'Leave out control characters.' : undefined
}
