import { dayMs } from '../../../kernel/clock.ts'
import type { ToldInvitation } from './store.ts'

/** Long enough for a holiday, short enough for a mailbox that changes hands. */
export const validMs = 7 * dayMs

export const hasExpired = ({ sent_at }: Pick<ToldInvitation, 'sent_at'>, now: number): boolean =>
  now >= sent_at + validMs

type Told = { readonly email: string; readonly workspaceName: string; readonly inviter: string; readonly url: string }

/** The e-mail for an invited person. */
export const invitationMail = ({ email, workspaceName, inviter, url }: Told) => ({
  to: email,
  subject: `${inviter} invites you to ${workspaceName}`,
  text: `Hello,

${inviter} invites you to work with them in "${workspaceName}", on Kontor.

Accept the invitation here:
${url}

The link works once, for 7 days. If you did not expect this, do nothing.
`,
})
