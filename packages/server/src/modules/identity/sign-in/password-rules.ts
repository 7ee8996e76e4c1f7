import { once } from '../../../lib/promises.ts'

/** NIST SP 800-63B §3.1.1.2: long rather than intricate. The upper bound keeps hashing cheap. */
const passwordCharactersMin = 12
export const passwordBytesMax = 1000

/** Guesses that a new password must withstand. At 10 ms per hash they take one core four months. */
const guessesMin = 1e9

/**
 * Characters beyond this are not estimated: the cost grows faster than the length, and this much is beyond guessing.
 */
const charactersLookedAt = 100

/** Words that people would think of first here, besides the common ones. */
const expectedHere = ['kontor', 'correct horse battery staple', 'correcthorsebatterystaple']

/** Loaded when a person chooses a password: its dictionaries take 30 MB of memory. */
const estimator = once(async () => {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: charactersLookedAt })
})

/** Longer texts have too many bytes in their normal form too, and normalising them takes long. */
const normalisedMax = 4 * passwordBytesMax

/** One normal form for passwords that look the same, whatever keyboard they were typed on. */
export const normalised = (password: string): string => password.slice(0, normalisedMax).normalize('NFKC')

/** The fault of a new password, as a text for the person who chose it; there are no rules about kinds of characters. */
export async function passwordFault(given: string, email: string): Promise<string | undefined> {
  const password = normalised(given)
  if ([...password].length < passwordCharactersMin)
    return `Use at least ${passwordCharactersMin} characters; a few words in a row are easy to remember.`
  if (Buffer.byteLength(password) > passwordBytesMax) return `Use at most ${passwordBytesMax} bytes.`
  const { guesses } = (await estimator()).check(password, [...expectedHere, email, ...email.split('@')])
  return guesses < guessesMin ? 'This password is easy to guess. Choose another one.' : undefined
}
