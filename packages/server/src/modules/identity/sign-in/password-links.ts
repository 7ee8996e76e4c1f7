import type { Tx } from '../../../db/tx.ts'
import { hashSecret, newSecret } from '../../../kernel/ids.ts'
import { tokenBytes } from './sessions.ts'
import { insertLink } from './store.ts'

/** NIST SP 800-63B allows a day; a person who requests a link is at the keyboard. */
export const linkMs = 3_600_000

/** The most valid links that one person is sent. */
export const linksMax = 5

/**
 * The way of a link to set a password: by e-mail, which verifies the address, or through the operator, who
 * reads the log.
 */
export type SendPasswordLink = {
  readonly byMail: boolean
  readonly send: (told: { readonly email: string; readonly url: string }) => Promise<void>
}

type NewLink = { readonly userId: string; readonly authUrl: string; readonly now: number; readonly verifies: boolean }

/** Creates a link to set a user's password; it works once, for an hour. */
export async function insertPasswordLink(tx: Tx, { userId, authUrl, now, verifies }: NewLink): Promise<string> {
  const token = newSecret(tokenBytes)
  await insertLink(tx, { token_hash: hashSecret(token), user_id: userId, created_at: now, verifies })
  return `${authUrl}/auth/password?token=${token}`
}

/** The e-mail for a person who requested a link. */
export const passwordMail = ({ email, url }: Parameters<SendPasswordLink['send']>[0]) => ({
  to: email,
  subject: 'Choose a new password',
  text: `Hello,

choose a new password for Kontor here:
${url}

The link works once, for an hour. If you did not request it, do nothing: your password stays the same.
`,
})
