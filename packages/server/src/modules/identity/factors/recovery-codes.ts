import { randomBytes } from 'node:crypto'
import { hashSecret } from '../../../kernel/ids.ts'

/** Codes that a person gets at a time. */
const recoveryCodesMax = 10

/** Letters and digits that are not mistaken for each other; 32, so that each byte gives one without bias. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz023456789'

const groups = 4
const groupLength = 4

/** Returns codes of 80 bits each, so that a fast hash of them is as good as a slow one. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodesMax }, () => {
    const letters = [...randomBytes(groups * groupLength)].map((byte) => alphabet[byte % alphabet.length]).join('')
    return Array.from({ length: groups }, (_, index) =>
      letters.slice(index * groupLength, (index + 1) * groupLength),
    ).join('-')
  })

/** Returns the hash of a code, however it was typed; undefined of a text that is none. */
export function recoveryHash(text: string): string | undefined {
  const letters = text.toLowerCase().replaceAll(/[\s-]/g, '')
  return letters.length === groups * groupLength ? hashSecret(letters) : undefined
}
