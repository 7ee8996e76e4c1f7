import { dayMs } from '../../../kernel/clock.ts'
import type { InvitationRow } from './store.ts'

/** Long enough for a holiday, short enough for a mailbox that changes hands. */
export const validMs = 7 * dayMs

/** An invitation that its inviter could no longer make has ended, expired or not. */
export function stateOf(
  { sent_at, ended_at }: Pick<InvitationRow, 'sent_at' | 'ended_at'>,
  now: number,
): 'pending' | 'expired' | 'ended' {
  if (ended_at !== null) return 'ended'
  return now >= sent_at + validMs ? 'expired' : 'pending'
}

/** Returns whether the link of an invitation still works. */
export const isPending = (row: Pick<InvitationRow, 'sent_at' | 'ended_at'>, now: number): boolean =>
  stateOf(row, now) === 'pending'

type LinkRecipient = {
  readonly email: string
  readonly workspaceName: string
  readonly inviter: string
  readonly url: string
}

/** The e-mail for an invited person. */
export const invitationMail = ({ email, workspaceName, inviter, url }: LinkRecipient) => ({
  to: email,
  subject: `${inviter} invites you to ${workspaceName}`,
  text: `Hello,

${inviter} invites you to work with them in "${workspaceName}", on Kontor.

Accept the invitation here:
${url}

The link works once, for 7 days. If you did not expect this, do nothing.
`,
})
