/** NIST SP 800-63B §3.1.1.2: long rather than intricate. The upper bound keeps hashing cheap. */
const passwordCharactersMin = 12
export const passwordBytesMax = 1000

/** What lists of stolen passwords begin with, as far as it is long enough, and what people here would think of first. */
const common = new Set([
  '123456789012', '1234567890123', '123456789123', '0123456789012', '123123123123', '111222333444', 'password1234', 'password12345', 'password123456', 'passwordpassword',
  'password1password', 'qwertyuiop12', 'qwertyuiop123', 'qwertyuiop123456', 'qwertyuiopasdf', 'qwertyuiopasdfgh', 'qwertyuiopasdfghjkl', 'qwertyqwerty', 'qwerty123456', '1q2w3e4r5t6y',
  '1q2w3e4r5t6y7u', '1qaz2wsx3edc', '1qaz2wsx3edc4rfv', 'qazwsxedcrfv', 'zaq12wsxcde3', 'asdfghjkl123', 'abcdefghijkl', 'abcdefghijklm', 'abcdefghijklmnop', 'abcd12345678', 'abc123456789',
  'a1b2c3d4e5f6', 'iloveyou1234', 'iloveyou123456', 'letmeinletmein', 'letmein12345', 'welcome12345', 'welcome123456', 'administrator', 'administrator1', 'admin1234567', 'adminadminadmin',
  'admin123456789', 'changeme1234', 'changemechangeme', 'footballfootball', 'baseball1234', 'superman1234', 'dragondragon', 'sunshine1234', 'princess1234', 'monkeymonkey', 'trustno1trustno1',
  'kontorkontor', 'kontor123456', 'kontor1234567', 'correct horse battery staple', 'correcthorsebatterystaple',
])

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** One spelling of what looks the same, whatever keyboard it was typed on. */
export const normalised = (password: string): string => password.normalize('NFKC')

/** Whether each character follows the one before it, as in 1234, or repeats it. */
function isSequence(text: string): boolean {
  const codes = [...text].map((character) => character.codePointAt(0) as number)
  const step = (codes[1] ?? 0) - (codes[0] ?? 0)
  return Math.abs(step) <= 1 && codes.every((code, index) => index === 0 || code - (codes[index - 1] as number) === step)
}

/** What is wrong with a new password, for the person who chose it; no rules about which characters it has. */
export function passwordFault(given: string, email: string): string | undefined {
  const password = normalised(given)
  if ([...password].length < passwordCharactersMin) return `Use at least ${passwordCharactersMin} characters; a few words in a row are easy to remember.`
  if (Buffer.byteLength(password) > passwordBytesMax) return `Use at most ${passwordBytesMax} bytes.`
  const core = plain(password)
  const [local = ''] = email.split('@')
  const rest = core.replaceAll(plain(email), '').replaceAll(plain(local) || '\0', '')
  const isGuessable = common.has(password.toLowerCase()) || common.has(core) || isSequence(password) || new Set(password).size < 4 || (core !== '' && rest.length < 4)
  return isGuessable ? 'This password is among the first that would be guessed. Choose another one.' : undefined
}
