import { once } from '../../kernel/once.ts'

/** NIST SP 800-63B §3.1.1.2: long rather than intricate. The upper bound keeps hashing cheap. */
const passwordCharactersMin = 12
export const passwordBytesMax = 1000

/** Guesses that a new password withstands. At 10 ms for a hash they take four months of one core. */
const guessesMin = 1e9

/** What comes after is not looked at: to look costs more than in proportion, and so much is beyond guessing. */
const charactersLookedAt = 100

/** What people here would think of first, beside what everybody does. */
const expectedHere = ['kontor', 'correct horse battery staple', 'correcthorsebatterystaple']

/** Loaded when somebody chooses a password: its dictionaries are 30 MB of memory. */
const estimator = once(async () => {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: charactersLookedAt })
})

/** One spelling of what looks the same, whatever keyboard it was typed on. */
export const normalised = (password: string): string => password.normalize('NFKC')

/** What is wrong with a new password, for the person who chose it; no rules about which characters it has. */
export async function passwordFault(given: string, email: string): Promise<string | undefined> {
  const password = normalised(given)
  if ([...password].length < passwordCharactersMin)
    return `Use at least ${passwordCharactersMin} characters; a few words in a row are easy to remember.`
  if (Buffer.byteLength(password) > passwordBytesMax) return `Use at most ${passwordBytesMax} bytes.`
  const { guesses } = (await estimator()).check(password, [...expectedHere, email, ...email.split('@')])
  return guesses < guessesMin
    ? 'This password is among the first that would be guessed. Choose another one.'
    : undefined
}
