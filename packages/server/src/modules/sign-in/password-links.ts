import type { Tx } from '../../db/tx.ts'
import { hashSecret, newSecret } from '../../kernel/ids.ts'
import { tokenBytes } from './secrets.ts'
import { insertLink } from './store.ts'

/** NIST SP 800-63B allows a day; whoever asks for a link is at the keyboard. */
export const linkMs = 3_600_000

/** Links that one person is sent while they work. */
export const linksMax = 5

/** How a link to set a password reaches its person: by e-mail, which shows that the address is theirs, or by whoever reads the log. */
export type SendPasswordLink = {
  readonly byMail: boolean
  readonly send: (told: { readonly email: string; readonly url: string }) => Promise<void>
}

type NewLink = { readonly userId: string; readonly authUrl: string; readonly now: number; readonly verifies: boolean }

/** Makes a link with which somebody sets their password; it works once, for an hour. */
export async function insertPasswordLink(tx: Tx, { userId, authUrl, now, verifies }: NewLink): Promise<string> {
  const token = newSecret(tokenBytes)
  await insertLink(tx, { token_hash: hashSecret(token), user_id: userId, created_at: now, verifies })
  return `${authUrl}/auth/password?token=${token}`
}

/** What somebody reads who asked for a link. */
export const passwordMail = ({ email, url }: Parameters<SendPasswordLink['send']>[0]) => ({
  to: email,
  subject: 'Choose a new password',
  text: `Hello,

choose a new password for Kontor here:
${url}

The link works once, for an hour. If you did not ask for it, do nothing: your password stays as it is.
`,
})
